import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../docs/documentation.ts'
import { builtServer } from '../servers/server-process.ts'

/** Earlier versions of Patchbay, built from their commits. */

/**
 * Commit of each release, oldest first, and of states between two releases that the tests open. Add the commit of a new release, and write
 * its fixtures (docs/reference/cli.md#create-a-release).
 */
export const releases = {
  '0.1.0': '51dad301',
  '0.2.0': 'ccd330e5',
  '2578c136': '2578c136',
  c9fa251c: 'c9fa251c',
} as const

export type Release = keyof typeof releases

export const releaseNames = Object.keys(releases) as Release[]

/** The newest release. Its processes run beside those of this version during an upgrade. */
export const previousRelease = '0.2.0' satisfies Release

const program = 'server/dist/main.mjs'

const build = (commit: string, folder: string): void => {
  const sources = execFileSync('git', ['archive', commit], {
    cwd: repositoryRoot,
    maxBuffer: 1024 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: sources })
  // All versions so far use the same version of Node. A later one downloads its own below this folder.
  symlinkSync(join(repositoryRoot, '.node'), join(folder, '.node'))
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Builds a commit in a folder of this name, unless that was done before. Returns the folder. */
const buildOnce = (commit: string, name: string): string => {
  const folder = join(repositoryRoot, '.cache', name)
  if (existsSync(folder)) return folder
  mkdirSync(join(folder, '..'), { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    build(commit, unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    // Another process can have built the same version concurrently.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return folder
}

const startCommand = (folder: string): readonly string[] => [...builtServer.slice(0, -1), join(folder, program)]

/**
 * Builds a commit unless that was done before, which takes half a minute.
 * @param commit any name that Git knows, such as `main`
 * @returns the arguments of Node that start it, as for `startServer`
 */
export const buildCommit = (commit: string): readonly string[] => {
  const hash = execFileSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  }).trim()
  return startCommand(buildOnce(hash, `patchbay-${hash.slice(0, 12)}`))
}

/**
 * Builds a release unless that was done before, which takes half a minute.
 *
 * @returns the arguments of Node that start it, as for `startServer`, and those that create demo data
 */
export const buildRelease = (release: Release): { command: readonly string[]; demo: readonly string[] } => {
  const commit = releases[release]
  const folder = buildOnce(commit, `patchbay-${release}-${commit}`)
  // Releases up to 0.2.0 have a program of its own.
  const demo = join(folder, 'server/dist/demo.mjs')
  return { command: startCommand(folder), demo: existsSync(demo) ? [demo] : [join(folder, program), 'demo'] }
}
