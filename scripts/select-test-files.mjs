// Selects test files by a word in their name, and the tool that runs them: `npm test -- WORD …`.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of each kind of test. Tests for both databases run only on SQLite here. */
const kinds = [
  { kind: 'rules', folders: ['contract/src', 'server/src', 'console/src', 'scripts'] },
  { kind: 'sqlite', folders: ['server/test'] },
  { kind: 'mariadb', folders: ['server/integration-test', 'testkit/src'] },
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

const getFileName = (path) => path.slice(path.lastIndexOf('/') + 1).replace(isTest, '')

/**
 * Returns the files with one of the words in their name, by kind. Throws a readable message for a word without any
 * match.
 */
export function selectFiles(names, filesByKind) {
  const all = [...filesByKind.values()].flat()
  const has = (path, word) => getFileName(path).toLowerCase().includes(word.toLowerCase())
  const unknown = names.find((word) => !all.some((path) => has(path, word)))
  if (unknown !== undefined) throw new Error(`No test file has "${unknown}" in its name.`)
  return kinds.flatMap(({ kind, wantsBuild = false }) => {
    const files = (filesByKind.get(kind) ?? []).filter((path) => names.some((word) => has(path, word)))
    return files.length > 0 ? [{ kind, files, wantsBuild }] : []
  })
}

/** Returns the tool that runs these files, with its arguments. */
export function toolFor({ kind, files }) {
  return kind === 'e2e'
    ? ['playwright', 'test', '-c', 'e2e/playwright.config.ts', ...files]
    : ['vitest', 'run', '--project', kind, ...files]
}
