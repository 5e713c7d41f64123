import { isPaymentScreen } from '@patchbay/contract/plans/payment-screens'
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
  /** the address of the script that takes cards; null: none are taken */
  paymentScript: string | null
}

const forEver = 'public, max-age=31536000, immutable'

const originOf = (apiBase: string | null): string =>
  apiBase !== null && URL.canParse(apiBase) ? new URL(apiBase).origin : ''

/** What stands in a page itself, as a policy names it. */
const hashesOf = (tag: 'script' | 'style', html: string): string =>
  // unchecked-regexp: runs on pages of the console's own build
  [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))]
    .map(([, text = '']) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    .join('')

/** What Stripe needs in a page (docs.stripe.com/security/guide#content-security-policy). */
const stripeSources = (paymentScript: string) => {
  const scripts = ` ${new URL(paymentScript).origin} https://*.js.stripe.com`
  return { scripts, frames: `${scripts} https://hooks.stripe.com`, calls: ' https://api.stripe.com' }
}

const needsOf = (apiBase: string | null, html: string, paymentScript: string | null): readonly string[] => {
  const stripe = paymentScript === null ? undefined : stripeSources(paymentScript)
  return [
    `script-src 'self'${hashesOf('script', html)}${stripe?.scripts ?? ''}`,
    `style-src 'self'${hashesOf('style', html)}`,
    "font-src 'self'",
    "img-src 'self' data:",
    // What was synthesized, to hear it.
    'media-src blob:',
    `connect-src 'self' ${originOf(apiBase)}`.trimEnd() + (stripe?.calls ?? ''),
    ...(stripe ? [`frame-src${stripe.frames}`] : []),
    "manifest-src 'self'",
    "form-action 'self'",
  ]
}

const readPage = (file: string): { html: Buffer; etag: string } => {
  const html = readFileSync(file)
  return { html, etag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"` }
}

export const serveConsole = async (
  app: FastifyInstance,
  { root, apiBase, extensions, switches, awsRegion, hosting, paymentScript }: ConsoleOptions,
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
  const policyOf = (script: string | null) => needsOf(apiBase, start.html.toString(), script)
  const [needs, paymentNeeds] = [policyOf(null), policyOf(paymentScript)]
  const sendPage = (reply: FastifyReply) => {
    const [pathname = ''] = reply.request.url.split('?')
    const { html, etag } = pathname.startsWith('/internal') ? internal : start
    const takesCards = paymentScript !== null && isPaymentScreen(pathname)
    const allowed = takesCards ? allow(reply, paymentNeeds, 'default') : allow(reply, needs)
    return allowed.header('cache-control', 'no-cache').header('etag', etag).type('text/html; charset=utf-8').send(html)
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
