// Builds a commit in a folder of its own, so that nothing that is installed or lies in the checkout becomes part of it.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSourceCommit, writeSourceCommit } from '../run/source-commit.mjs'

/** Variables that npm needs to find the registry. Others could change what is built, such as NODE_ENV. */
const inheritedVariables =
  /^(?:PATH|HOME|TMPDIR|NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy|npm_execpath|npm_config_(?!local_prefix|workspace).*)$/i

const maxBuffer = 1024 ** 3

/**
 * Returns the commit of a checkout from which a release is built.
 *
 * @returns {{ commit: string, modified: boolean, time: number }}
 * @throws {Error} outside of a checkout, and if files have changed and `allowDirty` is not set
 */
export function readReleaseCommit(root, allowDirty) {
  const source = readSourceCommit(root)
  if (source.commit === null) throw new Error('A release is built from a Git checkout, and this is none.')
  if (source.modified !== false && !allowDirty)
    throw new Error(
      'Files of the checkout differ from its commit. Commit them, or mark the release with --allow-dirty.',
    )
  return source
}

/** Writes the files of a commit, or the changed files of the checkout, into an empty folder. */
function copySources(root, source, folder) {
  const git = (...args) => execFileSync('git', args, { cwd: root, maxBuffer })
  if (!source.modified) {
    execFileSync('tar', ['-x', '-C', folder], { input: git('archive', '--format=tar', source.commit) })
  } else {
    const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').toString().split('\0')
    for (const file of files.filter((path) => path !== '' && existsSync(join(root, path))))
      cpSync(join(root, file), join(folder, file))
  }
  writeSourceCommit(folder, source)
}

/**
 * Builds the sources of a commit with only the packages that building and running need, and passes the folder to `work`.
 * The folder is removed afterwards.
 */
export function withBuiltSources(root, source, work) {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-sources-'))
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => inheritedVariables.test(name)))
  try {
    copySources(root, source, folder)
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
