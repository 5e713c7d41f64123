/** What the programs of the server have in common. */

/** Why a program cannot go on; the text is for whoever started it. */
export class FatalError extends Error {}

export const runCli = async (work: () => Promise<void>): Promise<void> => {
  // What it writes, the database above all, is for its own user.
  process.umask(0o077)
  try {
    await work()
  } catch (error) {
    const expected = error instanceof FatalError
    process.stderr.write(`${error instanceof Error ? (expected ? error.message : error.stack) : String(error)}\n`)
    process.exit(1)
  }
}
