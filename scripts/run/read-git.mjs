import { execFileSync } from 'node:child_process'

/**
 * Returns the output of a Git command in a folder, without spaces at its end. Returns undefined outside of a checkout,
 * without Git, and for a commit or a branch that does not exist.
 */
export function readGit(root, ...args) {
  try {
    // Other Git commands can run in the checkout at the same time.
    return execFileSync('git', ['--no-optional-locks', ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    }).trimEnd()
  } catch {
    return undefined
  }
}
