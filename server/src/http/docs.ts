import type { FastifyInstance } from 'fastify'
import { docsPage } from './docs-page.ts'
import { docsScript, docsStyle } from './docs-assets.ts'
import { openApiDocument } from './openapi.ts'
import { allow } from './security-headers.ts'

const needs = ["script-src 'self'", "style-src 'self'", "img-src 'self'"]

/**
 * Serves the API documentation at /api/docs and the OpenAPI document at /api/docs/json and /swagger. They are created
 * on first request.
 */
export const serveDocs = (app: FastifyInstance): void => {
  const documents = new Map<() => string, string>()
  const serve = (url: string, type: string, createText: () => string): void => {
    app.get(url, (_request, reply) => {
      const text = documents.get(createText) ?? createText()
      documents.set(createText, text)
      return allow(reply, needs).header('cache-control', 'no-cache').type(`${type}; charset=utf-8`).send(text)
    })
  }
  serve('/api/docs', 'text/html', docsPage)
  const createOpenApi = () => JSON.stringify(openApiDocument())
  serve('/api/docs/json', 'application/json', createOpenApi)
  // The path of jambonz.
  serve('/swagger', 'application/json', createOpenApi)
  serve('/api/docs/style.css', 'text/css', () => docsStyle)
  serve('/api/docs/script.js', 'text/javascript', () => docsScript)
}
