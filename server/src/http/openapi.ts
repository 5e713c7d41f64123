import { resources } from '@patchbay/contract/contract'
import { type Endpoint, splitKey } from '@patchbay/contract/endpoint'
import { z } from 'zod'

/** The OpenAPI 3.1 document, generated from the contract. */

/** Returns the JSON Schema of a body, a response, or a query parameter. */
export const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema => {
  const { $schema: _dialect, ...body } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return body
}

const content = (schema: object, type = 'application/json') => ({ [type]: { schema } })

const binary = (types: readonly string[]) =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))

const createResponses = ({ responses, bytes }: Endpoint) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => [
      status,
      schema === null
        ? { description: 'Done; no body' }
        : { description: 'Success', content: bytes ? binary(bytes) : content(jsonSchema(schema, 'output')) },
    ]),
  )

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

export const queryParameters = ({ query }: Endpoint) =>
  query instanceof z.ZodObject
    ? Object.entries(query.shape).map(([name, schema]) => ({
        name,
        in: 'query',
        required: !z.safeParse(schema as z.ZodType, undefined).success,
        schema: jsonSchema(schema as z.ZodType, 'input'),
      }))
    : []

const operation = (resource: string, path: string, endpoint: Endpoint) => ({
  summary: endpoint.summary,
  tags: [resource],
  security: endpoint.access.minScope === 'public' ? [] : [{ bearer: [] }],
  parameters: [...pathParameters(path), ...queryParameters(endpoint)],
  ...(endpoint.body && !endpoint.signedBy
    ? {
        requestBody: {
          content: content(jsonSchema(endpoint.body, 'input'), endpoint.upload ? 'multipart/form-data' : undefined),
        },
      }
    : {}),
  responses: {
    ...createResponses(endpoint),
    default: { description: 'Refused', content: content({ $ref: '#/components/schemas/Error' }) },
  },
})

const error = {
  type: 'object',
  required: ['msg'],
  properties: {
    msg: { type: 'string', description: 'Error message for people' },
    code: { type: 'string', description: 'Error code for programs' },
    field: { type: 'string', description: 'Name of the invalid field' },
    error: { type: 'string' },
    status: { type: 'string' },
    message: { type: 'string' },
  },
}

export const openApiDocument = () => {
  const paths: Record<string, Record<string, object>> = {}
  for (const [resource, endpoints] of Object.entries(resources))
    for (const [key, endpoint] of Object.entries<Endpoint>(endpoints)) {
      const { method, path } = splitKey(key)
      const template = path.replace(/:(\w+)/g, '{$1}')
      paths[template] = { ...paths[template], [method.toLowerCase()]: operation(resource, path, endpoint) }
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Patchbay API',
      version: '1',
      description: 'Accounts, carriers, numbers and calls of a voice platform.',
    },
    servers: [{ url: '/api/v1' }],
    tags: Object.keys(resources).map((name) => ({ name })),
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, schemas: { Error: error } },
    paths,
  }
}
