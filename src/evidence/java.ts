import { CollectingReader } from './reader.ts';

/** Both formats: `shop.TotalTest.adds -- Time elapsed: …` and `adds(shop.TotalTest)  Time elapsed: …`. */
const surefire =
  /^\[ERROR\] +(?!Tests run:)(\S.*?)(?: +--)? +Time elapsed: .*<<< (?:FAILURE|ERROR)!/;
const maven = /^\[(?:INFO|ERROR|WARNING|DEBUG)\]/;
const mavenError = /^\[ERROR\] (\S+\.(?:java|kt|scala|groovy):\[\d+,\d+\]) (.*)$/;
const gradle = /^(?!> )(\S.* > .+) FAILED$/;

/** Reads JUnit output of Maven Surefire and Gradle, and compiler errors. */
export class JavaReader extends CollectingReader {
  #isGradle = false;

  line(text: string, at: number): void {
    const isMaven = text.startsWith('[ERROR]');
    const isGradle = text.endsWith(' FAILED');
    const test = (isMaven ? surefire.exec(text) : isGradle ? gradle.exec(text) : null)?.[1];
    const error = isMaven ? mavenError.exec(text) : null;
    if (test !== undefined) {
      this.#isGradle = isGradle;
      this.found.open(test, at);
    } else if (error !== null) {
      this.found.open(error[1] ?? '', at);
      this.found.add(error[2] ?? '');
      this.found.close();
    } else if (text === '' || maven.test(text) || (this.#isGradle && !/^\s/.test(text))) {
      this.found.close();
    } else this.found.add(text);
  }
}
