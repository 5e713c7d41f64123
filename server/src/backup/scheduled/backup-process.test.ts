import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createBackupProcess } from './backup-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'patchbay-backup-process-'))
afterAll(() => rmSync(folder, { recursive: true }))

const { signal } = new AbortController()

const write = (source: string): Promise<number> => {
  const program = join(folder, 'program.mjs')
  writeFileSync(program, source)
  return createBackupProcess(program)('target', signal)
}

test.each([
  ['a message', "console.error('The disk is full.'); process.exit(1)", 'The disk is full.'],
  [
    'a stack trace',
    "console.error(new TypeError('x is not a function').stack); process.exit(1)",
    'TypeError: x is not a function',
  ],
  [
    'a warning of Node before the message',
    "process.emitWarning('old'); setImmediate(() => { console.error('The disk is full.'); process.exit(1) })",
    'The disk is full.',
  ],
  ['nothing', 'process.exit(7)', 'The process that wrote the backup ended with code 7.'],
])('the reason of a failure is the first line of its output, if that is %s', async (_what, source, reason) => {
  expect(await write(source).catch((cause: unknown) => cause)).toMatchObject({ message: reason })
})
