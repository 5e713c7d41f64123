import type { FastifyInstance } from 'fastify'
import { docsScript, docsStyle } from './docs-assets.ts'
import { allow } from './security-headers.ts'

const needs = ["script-src 'self'", "style-src 'self'", "img-src 'self'"]

/**
 * Serves the API documentation at /api/docs and the OpenAPI document at /api/docs/json and /swagger. They are loaded
 * and created on first request.
 */
export const serveDocs = (app: FastifyInstance): void => {
  const documents = new Map<() => string | Promise<string>, string>()
  const serve = (url: string, type: string, createText: () => string | Promise<string>): void => {
    app.get(url, async (_request, reply) => {
      const text = documents.get(createText) ?? (await createText())
      documents.set(createText, text)
      return allow(reply, needs).header('cache-control', 'no-cache').type(`${type}; charset=utf-8`).send(text)
    })
  }
  const createPage = async () => (await import('./docs-page.ts')).docsPage()
  const createOpenApi = async () => JSON.stringify((await import('./openapi.ts')).openApiDocument())
  serve('/api/docs', 'text/html', createPage)
  serve('/api/docs/json', 'application/json', createOpenApi)
  // The path of jambonz.
  serve('/swagger', 'application/json', createOpenApi)
  serve('/api/docs/style.css', 'text/css', () => docsStyle)
  serve('/api/docs/script.js', 'text/javascript', () => docsScript)
}
