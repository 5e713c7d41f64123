import { FatalError } from '../lib/cli.ts'

/** Asks for a passphrase on a terminal. */

/** With the setting, a backup that is not encrypted is read only if the operator says so. */
export const allowUnencryptedOption = [
  '--allow-unencrypted',
  'read a backup that is not encrypted, although BACKUP_PASSPHRASE is set',
] as const

const endOfInput = '\u0004'
const interrupt = '\u0003'
const deletion = /[\b\u007f]/

/** Exit code of a program that Ctrl+C ends. */
const interruptedCode = 130

/** Reads a line from a terminal, which does not show it. */
const readHiddenLine = (question: string): Promise<string> =>
  new Promise((resolve) => {
    const { stdin, stderr } = process
    let line = ''
    const finish = () => {
      stdin.off('data', read)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
    }
    const read = (text: string) => {
      for (const character of text) {
        if (character === interrupt) {
          finish()
          process.exit(interruptedCode)
        }
        if (character === '\r' || character === '\n' || character === endOfInput) {
          finish()
          resolve(line)
          return
        }
        line = deletion.test(character) ? line.replace(/.$/u, '') : line + character
      }
    }
    stdin.setEncoding('utf8')
    stdin.setRawMode(true)
    stdin.on('data', read)
    stderr.write(question)
  })

/**
 * Returns a function that returns the passphrase of a backup: the setting, or what the user enters once. Without a
 * setting and a terminal it returns undefined.
 * @throws FatalError if the user enters nothing
 */
export const createPassphraseReader = (setting: string | undefined): (() => Promise<string | undefined>) => {
  let entered: Promise<string> | undefined
  return async () => {
    if (setting !== undefined || !process.stdin.isTTY || !process.stderr.isTTY) return setting
    entered ??= readHiddenLine('Passphrase of the backup: ')
    const passphrase = await entered
    if (passphrase === '') throw new FatalError('No passphrase was entered. Nothing was changed.')
    return passphrase
  }
}
