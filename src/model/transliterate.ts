/**
 * Latin spelling of letters that Unicode normalization does not decompose, and of German umlauts. Cyrillic and Greek
 * follow common practice in file names, not a standard.
 */
const spellings = `
  ä=ae ö=oe ü=ue ß=ss æ=ae œ=oe ø=o å=a ł=l đ=d ð=d þ=th ħ=h ı=i ŋ=ng
  а=a б=b в=v г=g д=d е=e ё=yo ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u
  ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya є=ye і=i ї=yi ґ=g ў=u ђ=dj ј=j
  љ=lj њ=nj ћ=c џ=dz ѓ=gj ќ=kj ѕ=dz
  α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f
  χ=ch ψ=ps ω=o
`;

const table = new Map(
  spellings
    .trim()
    .split(/\s+/)
    .map((pair): [string, string] => {
      const [letter = '', latin = ''] = pair.split('=');
      return [letter, latin];
    }),
);

/** Returns the text in lower-case Latin letters where possible; other characters stay. */
export function transliterate(text: string): string {
  const small = text.normalize('NFKC').toLowerCase();
  const written = [...small].map((letter) => table.get(letter) ?? letter).join('');
  const bare = written.normalize('NFKD').replace(/\p{M}/gu, '');
  // Accented Greek letters match the table only after the accent is removed.
  return [...bare].map((letter) => table.get(letter) ?? letter).join('');
}
