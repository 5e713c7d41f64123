import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunningServer, startServer } from './server-process.ts'

/** A fresh clone on a machine that has Node, npm and a shell, and unless told neither compiler nor Python nor git. */
export interface Newcomer {
  clone: string
  /** of the machine's own Node, as 20.11.0 */
  node: string
  npmStart(settings?: NodeJS.ProcessEnv): Promise<RunningServer>
  /** npm is gone before the server that it started. */
  stop(server: RunningServer): Promise<void>
  remove(): void
}

/** Where the machine's own programs are, not those that these scripts have fetched. */
const ownFolders = (): string[] =>
  (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !/\.node\b|node_modules/.test(folder))

const ownProgram = (name: string): string => {
  const path = ownFolders()
    .map((folder) => join(folder, name))
    .find((candidate) => existsSync(candidate))
  if (path === undefined) throw new Error(`there is no ${name} on the PATH`)
  return path
}

const signal = async (url: string): Promise<void> => {
  try {
    for (;;) await (await fetch(`${url}/health`, { headers: { connection: 'close' } })).text()
  } catch {
    // Nobody listens any more.
  }
}

/** `commit`: another version, which may need more programs than today's */
export const createNewcomer = (commit = 'HEAD'): Newcomer => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-newcomer-'))
  const clone = join(folder, 'patchbay')
  execFileSync('git', ['clone', '--quiet', fileURLToPath(new URL('../..', import.meta.url)), clone])
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
    stop: async (server) => {
      await server.stop()
      await signal(server.url)
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}
