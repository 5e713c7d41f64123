// The commit that a copy of the sources has: the only place that determines it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { productPackages } from './product-packages.mjs'
import { readGit } from './read-git.mjs'

/** `git archive` writes the commit into this file, and a release whether the sources differ from it. */
const archiveFile = 'scripts/run/archive-commit.json'

/** Files that determine what Patchbay does. Others, such as data that an operator keeps in a checkout, are no changes. */
const program = [...productPackages, 'scripts', 'deploy', 'docs', 'package.json', 'package-lock.json']
const documents = ['*.md', 'LICENSE']

/**
 * Returns the commit of the sources in a folder: from Git in a checkout, or from the file that `git archive` fills.
 * Whatever is unknown is null.
 *
 * @returns `commit`; `modified`, whether the sources differ from it; and `time` of the commit in seconds since the Unix
 * epoch
 */
export function readSourceCommit(root) {
  return readCheckout(root) ?? readArchive(root) ?? { commit: null, modified: null, time: null }
}

/** Writes the commit into sources that `git archive` has unpacked. */
export function writeSourceCommit(root, source) {
  writeFileSync(join(root, archiveFile), `${JSON.stringify(source)}\n`)
}

/** Returns undefined outside a Git checkout, and in a folder of another project's checkout. */
function readCheckout(root) {
  const [prefix, commit] = readGit(root, 'rev-parse', '--show-prefix', 'HEAD')?.split('\n') ?? []
  const time = readGit(root, 'log', '-1', '--format=%ct')
  const changes = readGit(root, 'status', '--porcelain', '--', ...program, ...documents)
  if (prefix !== '' || time === undefined || changes === undefined) return undefined
  return { commit, modified: changes !== '', time: Number(time) }
}

/** Returns undefined if the file is missing, or if nothing has filled it. */
function readArchive(root) {
  const file = join(root, archiveFile)
  if (!existsSync(file)) return undefined
  const { commit, modified = null, time } = JSON.parse(readFileSync(file, 'utf8'))
  if (!/^[\da-f]{40}$/.test(commit)) return undefined
  return { commit, modified, time: Number(time) }
}
