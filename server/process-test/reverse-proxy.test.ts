import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { readConfiguration, readDocument } from '@patchbay/testkit/docs/documentation'
import { createCertificate } from '@patchbay/testkit/fakes/certificate'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ensureProgram } from '../../scripts/run/programs.mjs'

/** The documented configuration of nginx works, with other ports and a certificate for this test. */

const document = 'docs/how-to/put-behind-a-reverse-proxy.md'
const host = 'console.example.com'

const folder = mkdtempSync(join(tmpdir(), 'patchbay-nginx-'))
const certificate = createCertificate(folder, 'console', `DNS:${host}`)
let server: RunningServer
let nginx: ChildProcess
let ports: { tls: number; plain: number }

const buildConfiguration = (): string => {
  const blocks = readConfiguration(document, 'nginx', 0, {
    'listen 443 ssl': `listen 127.0.0.1:${ports.tls} ssl`,
    'listen 80': `listen 127.0.0.1:${ports.plain}`,
    'http://127.0.0.1:3000': server.url,
    '/etc/ssl/console.example.com.pem': certificate.cert,
    '/etc/ssl/console.example.com.key': certificate.key,
  })
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  return `
    daemon off;
    master_process off;
    pid ${join(folder, 'nginx.pid')};
    error_log stderr notice;
    events {}
    http {
      access_log off;
      ${temporaryPaths}
      ${blocks}
    }`
}

beforeAll(async () => {
  ports = { tls: await freePort(), plain: await freePort() }
  server = await startServer({
    JAMBONES_TRUST_PROXY: '1',
    PUBLIC_URL: `https://${host}`,
    JAMBONZ_RECORD_WS_USERNAME: 'recorder',
    JAMBONZ_RECORD_WS_PASSWORD: 'recorder',
  })
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, buildConfiguration())
  mkdirSync(join(folder, 'logs'))
  nginx = spawn(await ensureProgram('nginx'), ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  process.once('exit', () => nginx.kill('SIGKILL'))
  if (nginx.stderr === null) throw new Error('no output')
  // The first message follows the opening of the ports, or says what is wrong with the configuration.
  const [message] = await once(nginx.stderr, 'data')
  if (!String(message).includes('event method')) throw new Error(String(message))
  nginx.stderr.resume()
})
afterAll(async () => {
  const ended = once(nginx, 'exit')
  nginx.kill('SIGTERM')
  await Promise.all([ended, server.stop()])
  rmSync(folder, { recursive: true })
})

interface ProxiedResponse {
  headers: IncomingHttpHeaders
  content: string
}

/** Sends a request to nginx as to the documented host. */
const send = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET', body = '') =>
  new Promise<ProxiedResponse>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: ports.tls, servername: host, ca: readFileSync(certificate.cert) }
    request({ ...options, path, method, headers: { host, ...headers } }, (response) => {
      readText(response).then((content) => resolve({ headers: response.headers, content }), reject)
    })
      .on('error', reject)
      .end(body)
  })

test('the documented command shows status 200 and the header that enforces TLS', async () => {
  const [, command = ''] = /`(curl [^`]+)`/.exec(readDocument(document)) ?? []
  expect(command).toBe(`curl -sI https://${host}/health`)
  const [program = '', ...args] = command.split(' ')
  const local = ['--connect-to', `${host}:443:127.0.0.1:${ports.tls}`, '--cacert', certificate.cert, '--http1.1']
  const { stdout } = await promisify(execFile)(program, [...args, ...local])
  expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(stdout).toMatch(/^strict-transport-security: max-age=\d+/im)
})

test('the plain port redirects, and the response carries the request ID of nginx', async () => {
  const response = await fetch(`http://127.0.0.1:${ports.plain}/internal/accounts?a=1`, { redirect: 'manual' })
  // `fetch` sends the address as the host. Redirects keep the host of the request.
  expect([response.status, response.headers.get('location')]).toEqual([301, 'https://127.0.0.1/internal/accounts?a=1'])
  expect((await send('/api/v1/Accounts')).headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
})

test('failed sign-ins count for the address that nginx appends, whatever the client claims', async () => {
  const answers: string[] = []
  for (let attempt = 0; attempt <= 60; attempt++) {
    const body = JSON.stringify({ username: `user-${attempt}`, password: 'wrong' })
    const claimed = { 'x-forwarded-for': `203.0.113.${attempt}`, 'content-type': 'application/json' }
    answers.push((await send('/api/v1/login', claimed, 'POST', body)).content)
  }
  expect(answers[0]).toContain('sign_in_rejected')
  expect(answers.at(-1)).toContain('Maximum login attempts reached')
})

test('WebSockets pass: a recording connection is opened', async () => {
  const socket = new WebSocket(`wss://127.0.0.1:${ports.tls}/record/`, {
    agent: new Agent({ servername: host, ca: readFileSync(certificate.cert) }),
    headers: { host, authorization: `Basic ${Buffer.from('recorder:recorder').toString('base64')}` },
  })
  await once(socket, 'open')
  expect(socket.readyState).toBe(WebSocket.OPEN)
  socket.terminate()
})
