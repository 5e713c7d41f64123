import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFakeDns } from '@patchbay/testkit/fakes/dns-made-easy'
import { startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { startFakeGithub } from '@patchbay/testkit/fakes/sign-in-providers/github'
import { startFakeGoogle } from '@patchbay/testkit/fakes/sign-in-providers/google'
import { getPort } from '@patchbay/testkit/servers/ports'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { readConfiguration } from '../config/configuration.ts'
import { checkConnections } from './check-connections.ts'

/** Checks of the services of vendors. server/process-test/check-config.test.ts checks the services of a platform. */

const folder = mkdtempSync(join(tmpdir(), 'patchbay-check-connections-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => void vi.unstubAllEnvs())

/** Returns the results of all checks except that of the database, by service. */
const check = async (settings: NodeJS.ProcessEnv): Promise<Record<string, string>> => {
  const results = await checkConnections(readConfiguration({ DATA_DIR: folder, ...settings }))
  const services = results.filter(({ service }) => service !== 'database')
  return Object.fromEntries(services.map(({ service, isReachable, detail }) => [service, `${isReachable}: ${detail}`]))
}

/** Starts a server that responds to each request with a status and a body in JSON. */
const startResponder = async (status: number, body: object = {}) => {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const port = getPort(server)
  return { port, url: `http://127.0.0.1:${port}`, stop: () => server.close() }
}

test('checks the key of DNS Made Easy without creating records', async () => {
  const dns = await startFakeDns(['example.com'])
  try {
    expect(await check(dns.environment)).toEqual({ 'DNS provider': 'true: DNS Made Easy accepts the key.' })
    expect(dns.faults).toEqual([])
    expect(dns.records).toEqual([])
    expect(await check({ ...dns.environment, DME_API_SECRET: 'a-wrong-secret' })).toEqual({
      'DNS provider': 'false: The DNS provider rejected the credentials.',
    })
    dns.at('domains', 'nonsense')
    expect(await check(dns.environment)).toEqual({
      'DNS provider': 'false: The DNS provider responded with an error.',
    })
  } finally {
    await dns.stop()
  }
})

test('checks that the providers of sign-ins respond', async () => {
  const [google, github, broken] = await Promise.all([startFakeGoogle(), startFakeGithub(), startResponder(503)])
  const settings = { ...google.environment, ...github.environment }
  try {
    expect(await check(settings)).toEqual({
      'sign-in with Google': 'true: Google responds. The credentials are used at a sign-in only.',
      'sign-in with GitHub': 'true: GitHub responds. The credentials are used at a sign-in only.',
    })
    const failures = await check({ ...settings, GOOGLE_OAUTH_ISSUER: broken.url, GITHUB_API_URL: 'http://127.0.0.1:9' })
    expect(failures).toEqual({
      'sign-in with Google': 'false: The sign-in with Google responded with an error.',
      'sign-in with GitHub': 'false: The host of the sign-in with GitHub refused the connection.',
    })
  } finally {
    await Promise.all([google.stop(), github.stop()])
    broken.stop()
  }
})

test.each([
  [200, { events: [] }, 'true: CloudWatch in us-east-1 accepts the credentials.'],
  [400, { __type: 'ResourceNotFoundException' }, 'true: CloudWatch in us-east-1 accepts the credentials.'],
  [400, { __type: 'UnrecognizedClientException' }, 'false: The CloudWatch service rejected the credentials.'],
  [400, { __type: 'AccessDeniedException' }, 'false: The CloudWatch service rejected the credentials.'],
  [500, {}, 'false: The CloudWatch service responded with an error.'],
])('checks the credentials of CloudWatch, which responds with %i %o', async (status, body, result) => {
  const server = await startResponder(status, body)
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH_LOGS', server.url)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret')
  try {
    expect(await check({ AWS_REGION: 'us-east-1' })).toEqual({ 'CloudWatch service': result })
  } finally {
    server.stop()
  }
})

test('checks the service of the feature servers, which need not have a page at its address', async () => {
  const server = await startResponder(404)
  const settings = { K8S: '1', K8S_FEATURE_SERVER_SERVICE_NAME: '127.0.0.1' }
  try {
    expect(await check({ ...settings, K8S_FEATURE_SERVER_SERVICE_PORT: String(server.port) })).toEqual({
      'feature server': 'true: The service of the feature servers responds.',
    })
    expect(await check({ ...settings, K8S_FEATURE_SERVER_SERVICE_PORT: '9' })).toEqual({
      'feature server': 'false: The host of the feature server refused the connection.',
    })
  } finally {
    server.stop()
  }
})

test('ends the checks of services that do not respond together', async () => {
  const { origin, close } = await startHangingServer()
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH_LOGS', origin)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret')
  try {
    const results = await check({
      AWS_REGION: 'us-east-1',
      DME_BASE_URL: origin,
      DME_API_KEY: 'key',
      DME_API_SECRET: 'secret',
      GOOGLE_OAUTH_CLIENT_ID: 'id',
      GOOGLE_OAUTH_CLIENT_SECRET: 'secret',
      GOOGLE_OAUTH_ISSUER: origin,
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
      GITHUB_BASE_URL: origin,
      GITHUB_API_URL: origin,
      K8S: '1',
      K8S_FEATURE_SERVER_SERVICE_NAME: '127.0.0.1',
      K8S_FEATURE_SERVER_SERVICE_PORT: new URL(origin).port,
    })
    expect(Object.keys(results)).toHaveLength(5)
    for (const result of Object.values(results)) expect(result).toMatch(/^false: The .* did not (?:respond|answer)/)
  } finally {
    close()
  }
})
