import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toJavaScript } from './javascript.ts'
import type { CodeRequest, CodeVariable } from './request-code.ts'

const received: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string })[] = []
let [status, answer] = [200, '{"sid":"made-1"}']
const receive = async (request: IncomingMessage, response: ServerResponse) => {
  const { method, url, headers } = request
  received.push({ method, url, headers, body: await text(request) })
  response.writeHead(status, { 'content-type': 'application/json' }).end(answer)
}
const server = createServer((request, response) => void receive(request, response))
let [base, folder] = ['', '']

beforeEach(async () => {
  received.length = 0
  ;[status, answer] = [200, '{"sid":"made-1"}']
  folder = mkdtempSync(join(tmpdir(), 'javascript-'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  await new Promise((resolve) => server.close(resolve))
})

/** Runs a module in Node.js and returns its output. Rejects with its error output. */
const run = (requests: readonly CodeRequest[], variables: readonly CodeVariable[] = [], env = {}): Promise<string> => {
  const file = join(folder, 'requests.mjs')
  writeFileSync(file, toJavaScript(requests, variables))
  const options = { cwd: folder, env: { PATCHBAY_TOKEN: 'of-the-environment', ...env } }
  return new Promise((resolve, reject) =>
    execFile(process.execPath, [file], options, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout),
    ),
  )
}

const awkward = `O'Brien "$HOME" \`id\` \${x} \\ !! \n\t ж \u2028`
const password: CodeVariable = { token: '__p_1__', name: 'HOOK_PASSWORD', isSecret: true }
const account: CodeVariable = { token: '__a_1__', name: 'account_sid', isSecret: false }

test('a read prints the response', async () => {
  expect(await run([{ method: 'GET', url: `${base}/Accounts?page=1` }])).toContain('made-1')
  expect(received).toMatchObject([
    { method: 'GET', url: '/Accounts?page=1', headers: { authorization: 'Bearer of-the-environment' }, body: '' },
  ])
})

test('values are sent unchanged, secrets come from the environment, and a SID from the response before', async () => {
  await run(
    [
      {
        method: 'POST',
        url: `${base}/Accounts`,
        body: { name: awkward, hook: { password: password.token }, ['__proto__']: { a: [1, null] } },
        result: 'account_sid',
      },
      { method: 'PUT', url: `${base}/Accounts/${account.token}/Limits`, body: { account_sid: account.token } },
    ],
    [password, account],
    { HOOK_PASSWORD: awkward },
  )
  expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /Accounts',
    'PUT /Accounts/made-1/Limits',
  ])
  const [create, limit] = received.map(({ body }) => body)
  expect(create).toBe(JSON.stringify({ name: awkward, hook: { password: awkward }, ['__proto__']: { a: [1, null] } }))
  expect(limit).toBe('{"account_sid":"made-1"}')
})

test('without a secret, nothing is sent', async () => {
  const request = { method: 'POST', url: `${base}/Accounts`, body: { password: password.token } }
  await expect(run([request], [password])).rejects.toThrow('Set the environment variable HOOK_PASSWORD')
  expect(received).toEqual([])
})

test('a rejected request ends the module with the response', async () => {
  ;[status, answer] = [422, '{"msg":"name is taken"}']
  const request = { method: 'POST', url: `${base}/Accounts`, body: {} }
  await expect(run([request, request])).rejects.toThrow('422 {"msg":"name is taken"}')
  expect(received).toHaveLength(1)
})

test('a file of the working directory is sent as a file', async () => {
  writeFileSync(join(folder, 'key.txt'), 'content of the key')
  const body = { file: new File(['another content'], 'key.txt'), note: 'a "note"' }
  await run([{ method: 'POST', url: `${base}/upload`, body }])
  expect(received[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
  expect(received[0]?.body).toContain('content of the key')
  expect(received[0]?.body).toContain('a "note"')
})

test('a response without content is no error', async () => {
  answer = ''
  await run([{ method: 'PUT', url: `${base}/Accounts/1`, body: { name: 'x' } }])
  expect(received).toHaveLength(1)
})
