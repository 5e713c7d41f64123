import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory of its own. */
export interface Tmpfs {
  folder: string
  remove(): void
}

/**
 * Mounts a file system. Returns undefined if this process may not mount one.
 * @param options as for `mount -o`, such as `size=128m` or `ro`
 */
export const mountTmpfs = (options: string): Tmpfs | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-disk-'))
  const remove = () => rmSync(folder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    remove()
    return undefined
  }
  return {
    folder,
    remove: () => {
      execFileSync('umount', [folder])
      remove()
    },
  }
}
