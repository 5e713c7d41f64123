import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { allow } from './security-headers.ts'

/** The console: static files, hashed and precompressed at build time, and its runtime configuration. */
export interface ConsoleOptions {
  /** the folder that the console's build made */
  root: string
  apiBase: string | null
  extensions: readonly string[]
  switches: readonly string[]
  awsRegion: string | null
  /** what only the console of a hosted installation has to know; null elsewhere */
  hosting: object | null
}

const forEver = 'public, max-age=31536000, immutable'

const originOf = (apiBase: string | null): string =>
  apiBase !== null && URL.canParse(apiBase) ? new URL(apiBase).origin : ''

/** What stands in a page itself, as a policy names it. */
const hashesOf = (tag: 'script' | 'style', html: string): string =>
  [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))]
    .map(([, text = '']) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    .join('')

const needsOf = (apiBase: string | null, html: string): readonly string[] => [
  `script-src 'self'${hashesOf('script', html)}`,
  `style-src 'self'${hashesOf('style', html)}`,
  "font-src 'self'",
  "img-src 'self' data:",
  // What was synthesized, to hear it.
  'media-src blob:',
  `connect-src 'self' ${originOf(apiBase)}`.trimEnd(),
  "manifest-src 'self'",
  "form-action 'self'",
]

const readPage = (file: string): { html: Buffer; etag: string } => {
  const html = readFileSync(file)
  return { html, etag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"` }
}

export const serveConsole = async (
  app: FastifyInstance,
  { root, apiBase, extensions, switches, awsRegion, hosting }: ConsoleOptions,
): Promise<void> => {
  const page = join(root, 'index.html')
  if (!existsSync(page)) return
  await app.register(fastifyStatic, {
    root,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const asset = path.includes(`${sep}assets${sep}`)
      void reply.header('cache-control', asset ? forEver : 'no-cache')
    },
    wildcard: false,
    // The pages are served below, each with its policy, and by no other name.
    globIgnore: ['*.html*'],
  })
  const configuration = JSON.stringify({
    ...(apiBase === null ? {} : { apiBase }),
    ...(awsRegion === null ? {} : { awsRegion }),
    ...(hosting === null ? {} : { hosting }),
    extensions,
    switches,
  })
  app.get('/config.json', (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(configuration),
  )
  const start = readPage(page)
  // The same page, which names the files of the frame as well.
  const internalFile = join(root, 'internal.html')
  const internal = existsSync(internalFile) ? readPage(internalFile) : start
  // In both pages stand the same styles and script.
  const needs = needsOf(apiBase, start.html.toString())
  const sendPage = (reply: FastifyReply) => {
    const { html, etag } = reply.request.url.startsWith('/internal') ? internal : start
    return allow(reply, needs)
      .header('cache-control', 'no-cache')
      .header('etag', etag)
      .type('text/html; charset=utf-8')
      .send(html)
  }
  app.get('/', (_request, reply) => sendPage(reply))
  app.decorate('sendConsolePage', sendPage)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** there once the console is served */
    sendConsolePage?: (reply: FastifyReply) => FastifyReply
  }
}
