import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openConsoleApp } from './console-app.ts'

/** The files of the console: their headers, and that no other file of the machine is served. */

const script = 'assets/index-abcdefgh.js'
const files = [
  'index.html',
  'index.html.br',
  'robots.txt',
  script,
  `${script}.br`,
  `${script}.gz`,
  'assets/ms-teams-tenants/page-abcdefgh.js',
  'assets/.hidden',
  '.vite/manifest.json',
]

const { app, root } = await openConsoleApp(files)
await writeFile(join(root, '../secret.txt'), 'the file outside')

const get = (url: string, headers = {}) => app.inject({ method: 'GET', url, headers })

test.each([script, 'assets/ms-teams-tenants/page-abcdefgh.js'])('serves %s, which browsers keep', async (path) => {
  const response = await get(`/${path}`)
  expect(response.statusCode).toBe(200)
  expect(response.body).toBe(`the file ${path}`)
  expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(response.headers['content-type']).toMatch(/^application\/javascript/)
  expect((await app.inject({ method: 'HEAD', url: `/${path}` })).statusCode).toBe(200)
})

test('serves the compressed file to a client that accepts it', async () => {
  const response = await get(`/${script}`, { 'accept-encoding': 'br' })
  expect(response.body).toBe(`the file ${script}.br`)
  expect(response.headers['content-encoding']).toBe('br')
  expect(response.headers['content-type']).toMatch(/^application\/javascript/)
})

test('caches keep a compressed file apart from the file itself', async () => {
  expect((await get(`/${script}`, { 'accept-encoding': 'br' })).headers['vary']).toBe('accept-encoding')
  expect((await get(`/${script}`)).headers['vary']).toBe('accept-encoding')
})

test.each([
  ['gzip', 'gzip'],
  ['gzip, br', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0', undefined],
  ['deflate, zstd', undefined],
  ['identity', undefined],
  ['*;q=0', undefined],
  ['br;q=nonsense;;,', undefined],
])('the client that accepts %o receives the encoding %o', async (accepted, encoding) => {
  const response = await get(`/${script}`, { 'accept-encoding': accepted })
  expect([response.statusCode, response.headers['content-encoding']]).toEqual([200, encoding])
  const extension = { br: '.br', gzip: '.gz' }[encoding ?? ''] ?? ''
  expect(response.body).toBe(`the file ${script}${extension}`)
})

test('a file that the client has is not sent again, and parts of a file are sent', async () => {
  const { headers } = await get('/robots.txt')
  expect((await get('/robots.txt', { 'if-none-match': headers['etag'] })).statusCode).toBe(304)
  const part = await get('/robots.txt', { range: 'bytes=4-7' })
  expect([part.statusCode, part.body]).toEqual([206, 'file'])
  const beyond = await get('/robots.txt', { range: 'bytes=999-' })
  expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, 'bytes */19'])
  expect((await get('/robots.txt', { 'if-match': '"another"' })).statusCode).toBe(412)
})

test('browsers ask again for a file without a hash in its name', async () => {
  const response = await get('/robots.txt')
  expect(response.body).toBe('the file robots.txt')
  expect(response.headers['cache-control']).toBe('no-cache')
})

test.each([
  '/assets/',
  '/assets/missing.js',
  '/assets/.hidden',
  '/.vite/manifest.json',
  '/assets/../index.html.br',
  '/assets/%2e%2e/index.html.br',
  '/assets/..%2f..%2fsecret.txt',
  '/assets/..%5c..%5csecret.txt',
  '/assets//index-abcdefgh.js/..',
  '/assets/index-abcdefgh.js%00',
  '/secret.txt',
  '/..%2fsecret.txt',
])('serves no file as %s', async (url) => {
  const response = await get(url)
  expect(response.statusCode).toBeGreaterThanOrEqual(400)
  expect(response.statusCode).toBeLessThan(500)
  expect(response.body).not.toContain('the file')
})

test('an unknown asset is the start page only for a client that accepts pages', async () => {
  expect((await get('/assets/missing.js', { accept: 'text/html' })).body).toBe('the file index.html')
  expect((await get('/assets/missing.js')).json()).toMatchObject({ code: 'unknown_path' })
})

test('a file that was deleted after the start is missing, without an internal error', async () => {
  await rm(join(root, 'assets/ms-teams-tenants/page-abcdefgh.js'))
  expect((await get('/assets/ms-teams-tenants/page-abcdefgh.js')).statusCode).toBe(404)
})
