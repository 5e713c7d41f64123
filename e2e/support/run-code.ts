import { execFile } from 'node:child_process'
import type { Page } from '@playwright/test'
import { expect } from './test.ts'

/** Runs the requests that the console copies, as a user would, in a shell or in Node.js. */

export const readClipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())

/**
 * Runs a program whose code is its input, with the token and the secrets in its environment.
 * @returns what it prints
 * @throws what it prints about its failure
 */
const run = (program: string, args: string[], code: string, env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { env: { PATH: process.env['PATH'], ...env }, timeout: 30_000 },
      (error, stdout, stderr) => (error ? reject(new Error(`${stderr}\n${stdout}`)) : resolve(stdout)),
    )
    child.stdin?.end(code)
  })

/** @param env with `PATCHBAY_TOKEN` */
export const runCurl = (code: string, env: Readonly<Record<string, string>>): Promise<string> => {
  expect(code).toContain('curl')
  return run('sh', ['-s'], code, env)
}

/** @param env with `PATCHBAY_TOKEN` */
export const runJavaScript = (code: string, env: Readonly<Record<string, string>>): Promise<string> =>
  run(process.execPath, ['--input-type=module'], code, env)
