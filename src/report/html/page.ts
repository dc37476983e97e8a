import { escaped } from './escape.ts';

/**
 * A whole HTML file that needs nothing else: no script, no font, no picture, no other host. The policy in it forbids
 * everything but its own styles, so text that became markup by mistake could do nothing.
 */
export function page(title: string, body: readonly string[]): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escaped(title)}</title>`,
    `<style>${styles}</style>`,
    '</head>',
    '<body><main>',
    ...body,
    '</main></body>',
    '</html>',
    '',
  ].join('\n');
}

/** A picture that scrolls if it is wider than the page. */
export function figure(svg: string): string {
  return `<div class="figure" tabindex="0">${svg}</div>`;
}

const styles = `
:root{--paper:#ffffff;--ink:#16191d;--ink2:#59616b;--line:#d9dee3;--band:#f5f7f9;--good:#1b7a2f;--bad:#b3261e;--warn:#8a5a00;--info:#1f5fbf;--plus:#e3f5e4;--minus:#fbe4e2}
@media (prefers-color-scheme:dark){:root{--paper:#0f1216;--ink:#e6e9ed;--ink2:#9ba5b0;--line:#2b323a;--band:#171b21;--good:#6cc47c;--bad:#ff8a80;--warn:#e0b354;--info:#8ab4f8;--plus:#14311b;--minus:#3a1a19}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1.5rem 1rem 4rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem;padding-bottom:.2rem;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1.2rem 0 .4rem}
p{margin:.4rem 0}.dim{color:var(--ink2)}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.info{color:var(--info)}
nav a{margin-right:1rem}a{color:var(--info)}
code,pre,td.n,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85rem}
pre{background:var(--band);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;overflow-x:auto;white-space:pre-wrap;margin:.4rem 0;max-height:40rem;overflow-y:auto}
.figure{overflow:auto;border:1px solid var(--line);border-radius:6px;background:var(--paper);max-height:46rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;margin:.4rem 0;font-size:.9rem}
th,td{text-align:left;padding:.2rem .9rem .2rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--ink2);font-weight:600}td.n,th.n{text-align:right;white-space:nowrap}tr.all td{font-weight:700}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:0 .8rem}details[open]{padding-bottom:.6rem}
summary{cursor:pointer;padding:.4rem 0}details details{background:var(--paper)}
.tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:.8rem 0}.tile{border:1px solid var(--line);border-radius:6px;padding:.4rem .8rem;min-width:7rem}
.tile b{display:block;font-size:1.25rem}.add{background:var(--plus)}.del{background:var(--minus)}.hunk{color:var(--info)}
ul,ol{padding-left:1.2rem;margin:.4rem 0}li{margin:.15rem 0}
`.replaceAll('\n', '');
