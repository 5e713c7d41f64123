import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { recordVersionHeader } from './record-conditions.ts'

/**
 * Conditional reads: a client sends the tag of the response that it has, and gets 304 without a body if the response is
 * still the same (RFC 9110 §13.1.2, docs/decisions/0030-tag-responses-by-their-content.md).
 */

/** Returns a strong entity tag: 132 bits of the SHA-256 hash of the content, in quotation marks (RFC 9110 §8.8.3). */
export const toEntityTag = (content: string | Buffer): string =>
  `"${hash('sha256', content, 'base64url').slice(0, 22)}"`

/**
 * Returns whether an If-None-Match header names a tag. The comparison is weak, as the header requires.
 * @param tag a strong tag of `toEntityTag`, which contains no comma
 */
export const namesEntityTag = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((named) => named.trim().replace(/^W\//, '') === tag)

/**
 * Adds a hook that tags the JSON of successful reads, and answers 304 if the client has that content. The hook sees the
 * body for this caller: access has been checked, and secrets are masked. Call it before routes are added, so that it
 * runs before the compression, which 304 saves.
 */
export const addEntityTags = (app: FastifyInstance): void => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    // Recordings and exports are bytes or streams. Errors have no tag.
    if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') return done()
    // A response whose record has another version is another one, also if it does not show what has changed.
    const tag = toEntityTag(`${String(reply.getHeader(recordVersionHeader) ?? '')}${payload}`)
    // A strong tag would promise the same bytes, but the compression sends others.
    void reply.header('etag', `W/${tag}`)
    const named = request.headers['if-none-match']
    if (named === undefined || !namesEntityTag(named, tag)) return done()
    void reply.code(304).removeHeader('content-type')
    // Fastify computes the Content-Length of a HEAD response from the body, and does not send the body.
    return request.method === 'HEAD' ? done() : done(null, null)
  })
}
