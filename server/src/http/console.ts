import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkPaths } from '@patchbay/contract/shared/call-share-limits'
import { isPaymentScreen } from '@patchbay/rules/plans/payment-screens'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { toEntityTag } from './entity-tags.ts'
import { allow, allowMicrophone } from './security-headers.ts'
import { serveFiles } from './static-files.ts'

/** Serves the console: static files, which are hashed and compressed at build time, and its runtime configuration. */
export interface ConsoleOptions {
  /** Folder of the built console. */
  root: string
  apiBase: string | null
  extensions: readonly string[]
  switches: readonly string[]
  awsRegion: string | null
  /** Settings for the console of a hosted installation. Null for others. */
  hosting: object | null
  /** URL of the script for card payments. Null if payments are disabled. */
  paymentScript: string | null
  /** WebSocket addresses of the SBC, to which the pages can connect. Empty if the console has no phone. */
  phoneSbcUrls: readonly string[]
}

const getOrigin = (apiBase: string | null): string =>
  apiBase !== null && URL.canParse(apiBase) ? new URL(apiBase).origin : ''

/** Returns the hashes of inline scripts or styles for the Content Security Policy. */
const hashInlineElements = (tag: 'script' | 'style', html: string): string =>
  // unchecked-regexp: runs on pages of the console's own build
  [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))]
    .map(([, text = '']) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    .join('')

/** The sources that Stripe needs in a page (docs.stripe.com/security/guide#content-security-policy). */
const stripeSources = (paymentScript: string) => {
  const scripts = ` ${new URL(paymentScript).origin} https://*.js.stripe.com`
  return { scripts, frames: `${scripts} https://hooks.stripe.com`, calls: ' https://api.stripe.com' }
}

interface PolicySources extends Pick<ConsoleOptions, 'apiBase' | 'paymentScript' | 'phoneSbcUrls'> {
  html: string
}

const createPolicy = ({ apiBase, html, paymentScript, phoneSbcUrls }: PolicySources): readonly string[] => {
  const stripe = paymentScript === null ? undefined : stripeSources(paymentScript)
  const sbcs = new Set(phoneSbcUrls.map((url) => new URL(url).origin))
  return [
    `script-src 'self'${hashInlineElements('script', html)}${stripe?.scripts ?? ''}`,
    `style-src 'self'${hashInlineElements('style', html)}`,
    "font-src 'self'",
    "img-src 'self' data:",
    // Playback of synthesized speech.
    'media-src blob:',
    `connect-src 'self' ${[getOrigin(apiBase), ...sbcs].join(' ').trim()}`.trimEnd() + (stripe?.calls ?? ''),
    ...(stripe ? [`frame-src${stripe.frames}`] : []),
    "manifest-src 'self'",
    "form-action 'self'",
  ]
}

const readPage = (file: string): { html: Buffer; etag: string } => {
  const html = readFileSync(file)
  return { html, etag: toEntityTag(html) }
}

export const serveConsole = (
  app: FastifyInstance,
  { root, apiBase, extensions, switches, awsRegion, hosting, paymentScript, phoneSbcUrls }: ConsoleOptions,
): void => {
  const page = join(root, 'index.html')
  if (!existsSync(page)) return
  serveFiles(app, root)
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
  // A page with additional links to the files of the application frame. It otherwise equals index.html.
  const internalFile = join(root, 'internal.html')
  const internal = existsSync(internalFile) ? readPage(internalFile) : start
  // The inline styles and the script are equal in both pages.
  const html = start.html.toString()
  const createPagePolicy = (script: string | null) =>
    createPolicy({ apiBase, html, paymentScript: script, phoneSbcUrls })
  const [defaultPolicy, paymentPolicy] = [createPagePolicy(null), createPagePolicy(paymentScript)]
  const sendPage = (reply: FastifyReply) => {
    const [pathname = ''] = reply.request.url.split('?')
    const { html: content, etag } = pathname.startsWith('/internal') ? internal : start
    if (phoneSbcUrls.length > 0) void allowMicrophone(reply)
    const isPaymentPage = paymentScript !== null && isPaymentScreen(pathname)
    if (linkPaths.includes(pathname))
      void reply.headers({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' })
    const allowed = isPaymentPage ? allow(reply, paymentPolicy, 'default') : allow(reply, defaultPolicy)
    return allowed
      .header('cache-control', 'no-cache')
      .header('etag', etag)
      .type('text/html; charset=utf-8')
      .send(content)
  }
  app.get('/', (_request, reply) => sendPage(reply))
  app.decorate('sendConsolePage', sendPage)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Available when the console is served. */
    sendConsolePage?: (reply: FastifyReply) => FastifyReply
  }
}
