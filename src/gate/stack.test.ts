import { describe, expect, it } from 'vitest';
import { detectStack, type StackFiles } from './verify-command.ts';

function top(...names: readonly string[]): StackFiles {
  return { names: () => names, has: (path) => names.includes(path), read: () => undefined };
}

describe('detectStack', () => {
  it.each([
    ['cargo test', ['Cargo.toml']],
    ['go test ./...', ['go.mod']],
    ['python -m pytest', ['pyproject.toml']],
    ['python -m pytest', ['pytest.ini']],
    ['python -m pytest', ['setup.cfg']],
    ['mvn -q test', ['pom.xml']],
    ['./mvnw -q test', ['pom.xml', 'mvnw']],
    ['gradle test', ['build.gradle']],
    ['./gradlew test', ['build.gradle', 'gradlew']],
    ['./gradlew test', ['build.gradle.kts', 'gradlew']],
    ['bundle exec rspec', ['Gemfile', 'spec']],
    ['mix test', ['mix.exs']],
    ['vendor/bin/phpunit', ['composer.json']],
    ['deno test', ['deno.json']],
    ['deno test', ['deno.jsonc']],
    ['dotnet test', ['App.csproj']],
    ['dotnet test', ['Whole.sln', 'src']],
  ])('says %s by the look of %o', (command, names) => {
    expect(detectStack(top('README.md', ...names))?.command).toBe(command);
  });

  it.each([
    ['a package file without a test of its own', ['package.json', 'node_modules']],
    ['Ruby without a folder of specs', ['Gemfile']],
    ['a name that only looks alike', ['my-Cargo.toml', 'go.mod.bak', 'old.csproj.txt']],
    ['nothing at all', []],
  ])('says nothing of %s', (_, names) => {
    expect(detectStack(top(...names))).toBeUndefined();
  });

  it('names the file it went by, and takes the first stack of several', () => {
    expect(detectStack(top('mix.exs', 'Cargo.toml'))).toEqual({
      command: 'cargo test',
      from: 'Cargo.toml',
    });
    expect(detectStack(top('Gemfile', 'B.csproj', 'A.csproj'))).toEqual({
      command: 'dotnet test',
      from: 'A.csproj',
    });
  });
});
