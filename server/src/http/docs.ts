import type { FastifyInstance } from 'fastify'
import { docsPage } from './docs-page.ts'
import { docsScript, docsStyle } from './docs-assets.ts'
import { openApiDocument } from './openapi.ts'
import { allow } from './security-headers.ts'

const needs = ["script-src 'self'", "style-src 'self'", "img-src 'self'"]

/** The API's documentation at /api/docs, and the same for programs at /api/docs/json; made when first asked for. */
export const serveDocs = (app: FastifyInstance): void => {
  const made = new Map<string, string>()
  const serve = (url: string, type: string, make: () => string): void => {
    app.get(url, (_request, reply) => {
      const text = made.get(url) ?? make()
      made.set(url, text)
      return allow(reply, needs).header('cache-control', 'no-cache').type(`${type}; charset=utf-8`).send(text)
    })
  }
  serve('/api/docs', 'text/html', docsPage)
  serve('/api/docs/json', 'application/json', () => JSON.stringify(openApiDocument()))
  serve('/api/docs/style.css', 'text/css', () => docsStyle)
  serve('/api/docs/script.js', 'text/javascript', () => docsScript)
}
