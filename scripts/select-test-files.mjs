// Selects test files by a word in their name or by their folder, and the tool that runs them: `npm test -- WORD …`.
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Folders of each kind of test. Tests for both databases run only on SQLite here. */
const kinds = [
  { kind: 'rules', folders: ['contract/src', 'server/src', 'console/src', 'scripts', 'fuzz'] },
  { kind: 'sqlite', folders: ['server/test'] },
  { kind: 'mariadb', folders: ['server/integration-test', 'testkit/src'] },
  { kind: 'clickhouse', folders: ['server/clickhouse-test'], wantsBuild: true },
  { kind: 'built', folders: ['server/process-test'], wantsBuild: true },
  { kind: 'e2e', folders: ['e2e'], wantsBuild: true },
]

const isTest = /\.(?:test\.(?:ts|mjs)|e2e\.ts)$/

/** Returns all test files by kind, with paths relative to the root. */
export function listTestFiles(root) {
  const listFiles = (folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true })
          .filter((name) => isTest.test(name))
          .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      : []
  return new Map(
    kinds.map(({ kind, folders }) => [kind, folders.flatMap(listFiles).toSorted((a, b) => a.localeCompare(b))]),
  )
}

const rootFolders = new Set(kinds.flatMap(({ folders }) => folders))

/** Returns whether the file has the word in its name, or is in a folder with this name. */
const isSelected = (path, word) => {
  const folder = dirname(path)
  return (
    basename(path).replace(isTest, '').toLowerCase().includes(word.toLowerCase()) ||
    (basename(folder) === word && !rootFolders.has(folder))
  )
}

/** Returns the files that one of the words selects, by kind. Throws a readable message for a word without any match. */
export function selectFiles(names, filesByKind) {
  const all = [...filesByKind.values()].flat()
  const unknown = names.find((word) => !all.some((path) => isSelected(path, word)))
  if (unknown !== undefined) throw new Error(`No test file or folder is called "${unknown}".`)
  return kinds.flatMap(({ kind, wantsBuild = false }) => {
    const files = (filesByKind.get(kind) ?? []).filter((path) => names.some((word) => isSelected(path, word)))
    return files.length > 0 ? [{ kind, files, wantsBuild }] : []
  })
}

/** Returns the tool that runs these files, with its arguments. */
export function toolFor({ kind, files }) {
  return kind === 'e2e'
    ? ['playwright', 'test', '-c', 'e2e/playwright.config.ts', ...files]
    : ['vitest', 'run', '--project', kind, ...files]
}
