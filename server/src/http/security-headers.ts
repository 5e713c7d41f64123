import type { FastifyReply } from 'fastify'

/**
 * Security headers of all responses: browsers must respect the content type, and other pages can neither frame nor
 * access a page.
 */

/** @param microphone the pages that may use the microphone */
const createPermissions = (microphone: '()' | '(self)'): string =>
  `camera=(), microphone=${microphone}, geolocation=(), payment=()`

const commonHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': createPermissions('()'),
}

/** Policy for responses other than pages. If a browser displays one as a page, the page can load and do nothing. */
const emptyPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const policyHeader = 'content-security-policy'

/**
 * Sets the policy of a page: it allows the sources in `needs` and the directives that all pages share. Everything else
 * is forbidden.
 * @param trustedTypes name of the only policy that may create script URLs
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

/** Lets a page ask for the microphone. */
export const allowMicrophone = (reply: FastifyReply): FastifyReply =>
  reply.header('permissions-policy', createPermissions('(self)'))

/** Headers for responses that are sent without a Fastify reply. They equal those that `protect` sets. */
export const protectingHeaders: Readonly<Record<string, string>> = { ...commonHeaders, [policyHeader]: emptyPolicy }

/** Sets the headers of all responses. Stricter ones that a route has set remain. */
export const protect = (reply: FastifyReply): FastifyReply => {
  for (const [name, value] of Object.entries(protectingHeaders))
    if (!reply.hasHeader(name)) void reply.header(name, value)
  return reply
}
