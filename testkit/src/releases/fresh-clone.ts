import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunningServer, startServer } from '../servers/server-process.ts'

/**
 * A fresh clone of the repository on a simulated machine with Node, npm, and a shell, but by default without compiler,
 * Python, and Git.
 */
export interface FreshClone {
  clone: string
  /** Version of the machine's own Node, such as 20.11.0. */
  node: string
  npmStart(settings?: NodeJS.ProcessEnv): Promise<RunningServer>
  /** Publishes a version whose server differs, and gets it with `git pull`. */
  pullNewVersion(): void
  /** Stops the server. npm itself exits before the server that it started. */
  stop(server: RunningServer): Promise<void>
  remove(): void
}

/** Folders with the machine's own programs, without those that the project's scripts have downloaded. */
const ownFolders = (): string[] =>
  (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !/\.node\b|node_modules/.test(folder))

const ownProgram = (name: string): string => {
  const path = ownFolders()
    .map((folder) => join(folder, name))
    .find((candidate) => existsSync(candidate))
  if (path === undefined) throw new Error(`there is no ${name} on the PATH`)
  return path
}

const untilStopped = async (url: string): Promise<void> => {
  try {
    for (;;) await (await fetch(`${url}/health`, { headers: { connection: 'close' } })).text()
  } catch {
    // The server no longer accepts connections.
  }
}

/** @param commit another version, which can require more programs than the current one */
export const createFreshClone = (commit = 'HEAD'): FreshClone => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-newcomer-'))
  const clone = join(folder, 'patchbay')
  // The origin is a clone too, so that a new version can be published without a change of this repository.
  const origin = join(folder, 'origin')
  execFileSync('git', ['clone', '--quiet', fileURLToPath(new URL('../../..', import.meta.url)), origin])
  execFileSync('git', ['clone', '--quiet', origin, clone])
  if (commit !== 'HEAD') execFileSync('git', ['checkout', '--quiet', commit], { cwd: clone })
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  for (const name of ['node', 'npm', 'sh', 'env']) symlinkSync(ownProgram(name), join(programs, name))
  const node = execFileSync(join(programs, 'node'), ['--version'], { encoding: 'utf8' }).trim().slice(1)
  const path = [programs, ...(commit === 'HEAD' ? [] : ownFolders())]
  const always = { DATA_DIR: join(clone, 'data'), PATH: path.join(delimiter) }
  return {
    clone,
    node,
    npmStart: (settings) => startServer({ ...always, ...settings }, ['start'], clone, join(programs, 'npm')),
    pullNewVersion: () => {
      appendFileSync(join(origin, 'server/src/main.ts'), '// A newer version.\n')
      const author = ['-c', 'user.name=Release', '-c', 'user.email=release@example.org']
      execFileSync('git', [...author, 'commit', '--quiet', '--all', '--message', 'release'], { cwd: origin })
      execFileSync('git', ['pull', '--quiet'], { cwd: clone })
    },
    stop: async (server) => {
      await server.stop()
      await untilStopped(server.url)
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}
