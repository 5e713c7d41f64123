import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { builtServer } from './server-process.ts'
import { repositoryRoot } from './documentation.ts'

/** Earlier versions of Patchbay, built from their commits. */

/** Commit of each release. Add the commit of a new release to test upgrades from it. */
export const releases = { '0.1.0': '51dad301', '0.2.0': 'ccd330e5' } as const

export type Release = keyof typeof releases

const program = 'server/dist/main.mjs'

/** Returns the folder with the sources, packages, and built programs of a release. */
const getFolder = (release: Release): string =>
  join(repositoryRoot, '.cache', `patchbay-${release}-${releases[release]}`)

const build = (release: Release, folder: string): void => {
  const sources = execFileSync('git', ['archive', releases[release]], {
    cwd: repositoryRoot,
    maxBuffer: 1024 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: sources })
  // All releases so far use the same version of Node. A later one downloads its own below this folder.
  symlinkSync(join(repositoryRoot, '.node'), join(folder, '.node'))
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

/**
 * Builds a release unless that was done before, which takes half a minute.
 *
 * @returns the arguments of Node that start it, as for `startServer`, and the program that creates demo data
 */
export const buildRelease = (release: Release): { command: readonly string[]; demo: string } => {
  const folder = getFolder(release)
  if (!existsSync(folder)) {
    mkdirSync(join(folder, '..'), { recursive: true })
    const unfinished = mkdtempSync(`${folder}-`)
    try {
      build(release, unfinished)
      renameSync(unfinished, folder)
    } catch (error) {
      // Another test process can have built the same release concurrently.
      if (!existsSync(folder)) throw error
    } finally {
      rmSync(unfinished, { recursive: true, force: true })
    }
  }
  return {
    command: [...builtServer.slice(0, -1), join(folder, program)],
    demo: join(folder, 'server/dist/demo.mjs'),
  }
}
