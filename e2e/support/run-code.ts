import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** A request without its origin. */
export interface CodeRequest {
  method: string
  path: string
  body: unknown
}

/**
 * Runs curl code with a function in the place of curl, which answers with the SID `new`.
 * @param toSecret returns the value of a variable with a secret
 * @returns the requests that the code would send
 */
export const readCurlRequests = async (
  code: string,
  toSecret: (variable: string) => string,
): Promise<CodeRequest[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'requests-'))
  const log = join(folder, 'log')
  const names = [...code.matchAll(/"\$\{([A-Z_\d]+):\?\}"/g)].map(([, name = '']) => [name, toSecret(name)])
  const fake = `: > '${log}'
curl() { { printf '%s\\0' "$@"; printf '\\0'; } >> '${log}'; printf '%s' '{"sid":"new"}'; }`
  try {
    await runCurl(`${fake}\n${code}`, { PATCHBAY_TOKEN: 'none', ...Object.fromEntries(names) })
    return (await readFile(log, 'utf8'))
      .split('\0\0')
      .slice(0, -1)
      .map((command) => command.split('\0'))
      .map((args) => ({
        method: args[args.indexOf('-X') + 1] ?? '',
        path: new URL(args.find((arg) => arg.startsWith('http')) ?? '').pathname,
        body: args.includes('--data-raw') ? JSON.parse(args[args.indexOf('--data-raw') + 1] ?? '') : null,
      }))
  } finally {
    await rm(folder, { recursive: true })
  }
}
