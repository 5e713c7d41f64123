import { describe, expect, test } from 'vitest'
import { openConsoleApp } from '../console-app.ts'

/**
 * Every response to a browser has its Content-Security-Policy, for every notation of the path, and cannot be framed.
 */

/** Files of a built console: one of each kind. */
const files = [
  'index.html',
  'index.html.br',
  'internal.html',
  'internal.html.gz',
  'patchbay.svg',
  'robots.txt',
  'assets/index-abcdefgh.js',
  'assets/index-abcdefgh.js.br',
  'assets/index-abcdefgh.css',
  'assets/inter-abcdefgh.woff2',
  '.vite/manifest.json',
]

const { app } = await openConsoleApp(files)

const paths = [
  ...files.map((name) => `/${name}`),
  '/',
  '/index.html?x=1',
  '/internal',
  '/internal/accounts',
  '/gallery.html',
  '/config.json',
  '/nowhere',
  '/health',
  '/api/docs',
  '/api/docs/json',
  '/api/docs/style.css',
  '/api/docs/script.js',
  '/v1/Accounts',
  '/v1/nowhere',
]

/** Other notations of a path that a server, proxy, or file system might treat as the same. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path.toUpperCase(),
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replace(/\//g, '//'),
  (path) => path.replace('.', '%2e'),
  (path) => path.replace(/(?!^)\//g, '%2f'),
  (path) => `/.${path}`,
  (path) => `/%2e${path}`,
  (path) => `/assets/..${path}`,
  (path) => `/assets/%2e%2e${path}`,
  (path) => `${path}%00`,
  (path) => `${path}.`,
  (path) => `${path};x`,
  (path) => path.replace(/^\//, '/%5c'),
  (path) => `${path}%E0%A4%A`,
]

const accepts = ['text/html', 'application/json', '*/*']

describe('every notation of every file and page', () => {
  test.each(paths)('%s', async (path) => {
    const faults: string[] = []
    for (const spell of spellings)
      for (const accept of accepts)
        for (const method of ['GET', 'HEAD'] as const) {
          const url = spell(path)
          const headers = { accept, 'accept-encoding': 'br, gzip' }
          const answer = await app.inject({ method, url, headers })
          const policy = String(answer.headers['content-security-policy'])
          const safe =
            answer.statusCode < 500 &&
            /default-src 'none'.*frame-ancestors 'none'/.test(policy) &&
            !/unsafe|\*/.test(policy) &&
            answer.headers['x-frame-options'] === 'DENY' &&
            answer.headers['x-content-type-options'] === 'nosniff' &&
            answer.headers['referrer-policy'] === 'same-origin' &&
            /./.test(String(answer.headers['x-request-id'] ?? ''))
          if (!safe) faults.push(`${method} ${url} as ${accept}: ${answer.statusCode} ${policy}`)
        }
    expect(faults).toEqual([])
  })
})

test('a page has its own policy for every path that serves it', async () => {
  const page = await app.inject({ url: '/', headers: { accept: 'text/html' } })
  for (const url of ['/internal', '/internal/accounts', '/index.html', '/INTERNAL.HTML', '/nowhere']) {
    const answer = await app.inject({ url, headers: { accept: 'text/html' } })
    expect([url, answer.headers['content-type']]).toEqual([url, 'text/html; charset=utf-8'])
    expect(answer.headers['content-security-policy']).toBe(page.headers['content-security-policy'])
  }
})

test('HTML files and build manifests are not served under their file names', async () => {
  for (const url of files.filter((name) => name.includes('.html') || name.startsWith('.')))
    expect([url, (await app.inject({ url: `/${url}` })).statusCode]).toEqual([url, 404])
})

test('the page of a shared call sends no referrer and is not indexed', async () => {
  for (const url of ['/shared-call', '/shared-call?x=1', '/shared-report']) {
    const { headers } = await app.inject({ url, headers: { accept: 'text/html' } })
    expect([url, headers['referrer-policy'], headers['x-robots-tag']]).toEqual([url, 'no-referrer', 'noindex'])
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  }
  const other = await app.inject({ url: '/', headers: { accept: 'text/html' } })
  expect(other.headers['x-robots-tag']).toBeUndefined()
})
