// Selects test files by a word in their name or in the names of their folders: `npm test -- WORD …`.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { productFolders } from '../run/product-packages.mjs'

/** Folders of each kind of test. Tests for both databases run only on SQLite here. */
const kinds = [
  { kind: 'rules', folders: [...productFolders, 'scripts', 'deploy/test', 'fuzz'] },
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

const rootFolders = kinds.flatMap(({ folders }) => folders)

/** Returns whether the word is in the name of the file, or of a folder below the folder of its kind. */
const isSelected = (path, word) => {
  const root = rootFolders.find((folder) => path.startsWith(`${folder}/`)) ?? ''
  return path.slice(root.length).replace(isTest, '').toLowerCase().includes(word.toLowerCase())
}

/** Returns the files that one of the words selects, by kind. Throws a readable message for a word without any match. */
export function selectFiles(names, filesByKind) {
  const all = [...filesByKind.values()].flat()
  const unknown = names.find((word) => !all.some((path) => isSelected(path, word)))
  if (unknown !== undefined) throw new Error(`No test file or folder is called "${unknown}".`)
  return filterFiles(filesByKind, (path) => names.some((word) => isSelected(path, word)))
}

/**
 * Returns the files that a function selects, by kind. Leaves out kinds without any.
 *
 * @param {(path: string, kind: string) => boolean} isWanted
 */
export const filterFiles = (filesByKind, isWanted) =>
  kinds.flatMap(({ kind, wantsBuild = false }) => {
    const files = (filesByKind.get(kind) ?? []).filter((path) => isWanted(path, kind))
    return files.length > 0 ? [{ kind, files, wantsBuild }] : []
  })

/** Returns the gates that run selected files, one kind after another, on a new build if necessary. */
export function toFileSteps(selected) {
  const toGate = ({ kind, files, wantsBuild }) => ({
    gate: kind,
    title: `${kind}: ${files.join(' ')}`,
    needs: wantsBuild ? ['build'] : [],
    env: { TEST_TIER: 'all' },
    ...toolFor(kind, files),
  })
  return [
    ...(selected.some(({ wantsBuild }) => wantsBuild) ? [[{ gate: 'build' }]] : []),
    ...selected.map((one) => [toGate(one)]),
  ]
}

// The tests on MariaDB are in two projects, one for each tier.
const toolFor = (kind, files) =>
  kind === 'e2e' ? { isBrowser: true, args: files } : { project: kind === 'mariadb' ? 'mariadb*' : kind, args: files }
