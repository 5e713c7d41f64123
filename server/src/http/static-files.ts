import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import negotiate from '@fastify/accept-negotiator'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Serves the files of a build, some of which the build has also compressed. */

/** The encodings of compressed files, the preferred one first, and the ends of their names. */
const compressions = [
  { encoding: 'br', extension: '.br' },
  { encoding: 'gzip', extension: '.gz' },
] as const

const immutableCaching = 'public, max-age=31536000, immutable'

/** Returns the paths of the files below a folder, with slashes, without hidden files. */
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .filter((path) => !path.startsWith('.') && !path.includes('/.'))

/**
 * Serves the files that exist at the start. All assets share one route, because a route for each of several hundred files
 * would take a tenth of the start. Names in `assets` contain a hash, so browsers keep these files.
 */
export const serveFiles = (app: FastifyInstance, root: string): void => {
  const files = new Set(listFiles(root))

  const chooseCompression = (path: string, accepted = 'identity') => {
    const available = compressions.filter(({ extension }) => files.has(`${path}${extension}`))
    const chosen = negotiate(accepted, [...available.map(({ encoding }) => encoding), 'identity'])
    return { isNegotiated: available.length > 0, compression: available.find(({ encoding }) => encoding === chosen) }
  }

  const sendFile = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> => {
    // Loads with the first file. It has a table of all media types, which would take a part of the start.
    const { default: send } = await import('@fastify/send')
    const { isNegotiated, compression } = chooseCompression(path, request.headers['accept-encoding'])
    const file = `${path}${compression?.extension ?? ''}`
    const result = await send(request.raw, encodeURI(`/${file}`), { root, index: false, cacheControl: false })
    // A precondition of the request failed, or it asked for a part after the end of the file.
    if (result.type === 'error' && result.statusCode !== 404) {
      const range = result.headers['Content-Range']
      return reply
        .code(result.statusCode)
        .headers(range === undefined ? {} : { 'content-range': range })
        .send()
    }
    if (result.type !== 'file') {
      reply.callNotFound()
      return reply
    }
    void reply.code(result.statusCode).headers(result.headers)
    void reply.header('cache-control', path.startsWith('assets/') ? immutableCaching : 'no-cache')
    if (isNegotiated) void reply.header('vary', 'accept-encoding')
    if (compression !== undefined) {
      const type = send.mime.getType(path) ?? 'application/octet-stream'
      void reply.header('content-encoding', compression.encoding)
      void reply.type(send.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type)
    }
    return reply.send(result.stream)
  }

  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const path = `assets/${request.params['*']}`
    return files.has(path) ? sendFile(request, reply, path) : reply.callNotFound()
  })
  // The pages have their own policies, and must not be available under another name.
  for (const path of files)
    if (!path.startsWith('assets/') && !path.includes('.html'))
      app.get(`/${path}`, (request, reply) => sendFile(request, reply, path))
}
