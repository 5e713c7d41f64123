import { contract } from '@patchbay/contract/contract'
import { type Endpoint, splitKey } from '@patchbay/contract/endpoint'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'

/** The OpenAPI 3.1 document, made from the contract alone, and its reader at /api/docs. */

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): object => {
  const { $schema: _dialect, ...body } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return body
}

const content = (schema: object) => ({ 'application/json': { schema } })

const answersOf = ({ answers }: Endpoint) =>
  Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [
      status,
      schema === null
        ? { description: 'Done; no body' }
        : { description: 'Success', content: content(jsonSchema(schema, 'output')) },
    ]),
  )

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

const queryParameters = ({ query }: Endpoint) =>
  query instanceof z.ZodObject
    ? Object.entries(query.shape).map(([name, schema]) => ({
        name,
        in: 'query',
        required: !z.safeParse(schema as z.ZodType, undefined).success,
        schema: jsonSchema(schema as z.ZodType, 'input'),
      }))
    : []

const operation = (path: string, endpoint: Endpoint) => ({
  summary: endpoint.summary,
  tags: [path.split('/')[1] === 'patchbay' ? 'Patchbay' : (path.split('/')[1] ?? '')],
  security: endpoint.access.least === 'public' ? [] : [{ bearer: [] }],
  parameters: [...pathParameters(path), ...queryParameters(endpoint)],
  ...(endpoint.body ? { requestBody: { content: content(jsonSchema(endpoint.body, 'input')) } } : {}),
  responses: {
    ...answersOf(endpoint),
    default: { description: 'Refused', content: content({ $ref: '#/components/schemas/Error' }) },
  },
})

const error = {
  type: 'object',
  required: ['msg'],
  properties: {
    msg: { type: 'string', description: 'What is wrong, for people' },
    code: { type: 'string', description: 'What is wrong, for programs' },
    field: { type: 'string', description: 'The member that is wrong' },
    error: { type: 'string' },
    status: { type: 'string' },
    message: { type: 'string' },
  },
}

export const openApiDocument = () => {
  const paths: Record<string, Record<string, object>> = {}
  for (const [key, endpoint] of Object.entries<Endpoint>(contract)) {
    const { method, path } = splitKey(key)
    const template = path.replace(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation(path, endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Patchbay API',
      version: '1',
      description: 'Accounts, carriers, numbers and calls of a voice platform.',
    },
    servers: [{ url: '/api/v1' }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, schemas: { Error: error } },
    paths,
  }
}

/** An app of their own, made when somebody reads them for the first time: a start needs none of it. */
const createDocs = async (): Promise<FastifyInstance> => {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const docs = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  docs.addHook('onSend', async (_request, reply) => {
    void reply.header('x-content-type-options', 'nosniff')
  })
  // The document's own type is narrower than what JSON Schema 2020-12 allows.
  await docs.register(swagger, { mode: 'static', specification: { document: openApiDocument() as never } })
  await docs.register(swaggerUi, { routePrefix: '/api/docs', staticCSP: true, uiConfig: { deepLinking: true } })
  await docs.ready()
  return docs
}

/** Serves the document at /api/docs/json and the page that reads it at /api/docs. */
export const serveDocs = (app: FastifyInstance): void => {
  let docs: Promise<FastifyInstance> | undefined
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    docs ??= createDocs()
    const { routing } = await docs
    reply.hijack()
    routing(request.raw, reply.raw)
  }
  for (const url of ['/api/docs', '/api/docs/*']) app.get(url, answer)
}
