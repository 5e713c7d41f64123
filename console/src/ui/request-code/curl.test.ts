import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toCurl, toCurlScript } from './curl.ts'
import type { CodeVariable } from './request-code.ts'

/**
 * Runs a script with a function in the place of curl, which answers with a SID. Returns the arguments of each command.
 * @throws if the script fails
 */
const runScript = (script: string, env: Readonly<Record<string, string>> = {}): string[][] => {
  const folder = mkdtempSync(join(tmpdir(), 'curl-'))
  const log = join(folder, 'log')
  const fake = `: > '${log}'
curl() { { printf '%s\\0' "$@"; printf '\\0'; } >> '${log}'; printf '%s' '{"sid":"made-1"}'; }`
  try {
    execFileSync('sh', ['-c', `${fake}\n${script}`], {
      env: { PATH: process.env['PATH'], PATCHBAY_TOKEN: 'from-the-shell', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const commands = readFileSync(log, 'utf8').split('\0\0').slice(0, -1)
    return commands.map((command) => command.split('\0'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const awkward = `O'Brien "$HOME" \`id\` \\ !! \n\t ж`

test('a read as a curl command', () => {
  expect(toCurl({ method: 'GET', url: 'https://voice.example.com/api/v1/Accounts?page=1&count=25' })).toBe(
    `curl 'https://voice.example.com/api/v1/Accounts?page=1&count=25' \\\n  -H "Authorization: Bearer $PATCHBAY_TOKEN"`,
  )
})

test('a shell passes the method, headers, and body of a write to curl unchanged', () => {
  const body = { name: awkward, file: '@/etc/passwd' }
  expect(runScript(toCurl({ method: 'PUT', url: 'https://x.example/a?b=it%27s&c=d;e', body }))).toEqual([
    [
      '-X',
      'PUT',
      'https://x.example/a?b=it%27s&c=d;e',
      '-H',
      'Authorization: Bearer from-the-shell',
      '-H',
      'Content-Type: application/json',
      '--data-raw',
      JSON.stringify(body),
    ],
  ])
})

test('an address with brackets is no range of addresses', () => {
  expect(runScript(toCurl({ method: 'GET', url: 'http://[::1]:3000/?filter=[1-3]' }))[0]).toContain('-g')
})

test('a file is sent as a file, and a text that looks like one as a text', () => {
  const body = { file: new File(['secret'], "it's.txt"), note: '@/etc/passwd' }
  const [command] = runScript(toCurl({ method: 'POST', url: 'https://x.example/upload', body }))
  expect(command?.slice(-4)).toEqual(['-F', "file=@it's.txt", '--form-string', 'note=@/etc/passwd'])
})

const password: CodeVariable = { token: '__p_1__', name: 'HOOK_PASSWORD', isSecret: true }
const account: CodeVariable = { token: '__a_1__', name: 'account_sid', isSecret: false }

test.each([awkward, 'a\r\nb\n', '\\', '"', '&', 'plain'])(
  'a secret from the environment is valid JSON: %j',
  (secret) => {
    const request = {
      method: 'POST',
      url: 'https://x.example/a',
      body: { hook: { password: password.token }, on: true },
    }
    const [command] = runScript(toCurlScript([request], [password]), { HOOK_PASSWORD: secret })
    expect(JSON.parse(command?.at(-1) ?? '')).toEqual({ hook: { password: secret }, on: true })
  },
)

test('a script without its secret sends nothing', () => {
  const request = { method: 'POST', url: 'https://x.example/a', body: { password: password.token } }
  expect(() => runScript(toCurlScript([request], [password]))).toThrow(/HOOK_PASSWORD/)
})

const createAndLimit = toCurlScript(
  [
    { method: 'POST', url: 'https://x.example/Accounts', body: { name: awkward }, result: 'account_sid' },
    { method: 'PUT', url: `https://x.example/Accounts/${account.token}/Limits`, body: { account_sid: account.token } },
  ],
  [account],
)

test('a later request uses the SID in the response to an earlier one', () => {
  const [create, limit] = runScript(createAndLimit)
  expect(create?.at(-1)).toBe(JSON.stringify({ name: awkward }))
  expect(limit).toContain('https://x.example/Accounts/made-1/Limits')
  expect(limit?.at(-1)).toBe('{"account_sid":"made-1"}')
})

test('a rejected request ends the script', () => {
  const request = { method: 'PUT', url: 'https://x.example/a', body: {} }
  const script = toCurlScript([request, request], [])
  expect(runScript(script)).toHaveLength(2)
  expect(script.match(/--fail-with-body/g)).toHaveLength(2)
  expect(() => runScript(`curl() { echo rejected >&2; return 22; }\n${script}`)).toThrow(/rejected\s*$/)
})

test('a response without a SID ends the script and is displayed', () => {
  const rejected = createAndLimit.replace(/^/, `curl() { printf '%s' '{"msg":"name is taken"}'; }\n`)
  expect(() => runScript(rejected)).toThrow(/name is taken[\s\S]*account_sid/)
})
