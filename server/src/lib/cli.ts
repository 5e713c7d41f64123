/** Helpers for the command-line programs of the server. */

/** An error that ends the program. The message is shown to the user without a stack trace. */
export class FatalError extends Error {}

export const runCli = async (work: () => Promise<void>): Promise<void> => {
  // Files that the program creates, above all the database, are accessible only to its own user.
  process.umask(0o077)
  try {
    await work()
  } catch (error) {
    const expected = error instanceof FatalError
    process.stderr.write(`${error instanceof Error ? (expected ? error.message : error.stack) : String(error)}\n`)
    process.exit(1)
  }
}
