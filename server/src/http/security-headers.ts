import type { FastifyReply } from 'fastify'

/** What every answer tells a browser: take it for what it says it is, and let no other page frame it or reach into it. */

const always: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
}

/** For answers that are no page: should one be shown as a page, it may do nothing. */
const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const policyHeader = 'content-security-policy'

/**
 * A page names what it needs; the rest is forbidden. `needs` is without the parts that all pages have in common.
 * `trustedTypes`: the one policy by which scripts may be named.
 */
export const allow = (reply: FastifyReply, needs: readonly string[], trustedTypes = "'none'"): FastifyReply =>
  reply.header(
    policyHeader,
    [
      "default-src 'none'",
      ...needs,
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      `trusted-types ${trustedTypes}`,
    ].join('; '),
  )

/** The same for what is answered without a reply. */
export const protectingHeaders: Readonly<Record<string, string>> = { ...always, [policyHeader]: nothing }

export const protect = (reply: FastifyReply): FastifyReply => {
  if (!reply.hasHeader(policyHeader)) void reply.header(policyHeader, nothing)
  return reply.headers(always)
}
