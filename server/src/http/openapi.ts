import { type Descriptions, type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { type Resource, resources } from '@patchbay/contract/contract'
import { z } from 'zod'
import { describeField } from './describe-field.ts'
import { findStoredRecord, recordVersionHeader } from './record-conditions.ts'
import { findRecordUpdate } from './record-updates.ts'
import { requestExamples } from './request-examples.ts'

/** The OpenAPI 3.1 document, generated from the contract. */

/** Returns the JSON Schema of a body, a response, or a query parameter. */
export const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema => {
  const { $schema: _dialect, ...body } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return body
}

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const describeProperties = (descriptions: Descriptions, properties: Json): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { description: describeField(descriptions, name), ...withDescriptions(descriptions, property as Json) },
    ]),
  )

const describeParts = (descriptions: Descriptions, part: unknown): unknown => {
  if (Array.isArray(part)) return part.map((element) => describeParts(descriptions, element))
  return isJson(part) ? withDescriptions(descriptions, part) : part
}

/** Adds descriptions to the properties of a schema, and of the schemas in it, unless they have their own. */
const withDescriptions = (descriptions: Descriptions, schema: Json): Json =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'properties' && isJson(value)
        ? describeProperties(descriptions, value)
        : describeParts(descriptions, value),
    ]),
  )

const content = (schema: unknown, type = 'application/json', example?: object) => ({
  [type]: { schema, ...(example ? { example } : {}) },
})

const binary = (types: readonly string[]) =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))

const createResponses = (descriptions: Descriptions, { responses, bytes }: Endpoint) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => [
      status,
      schema === null
        ? { description: 'Success, without a body' }
        : {
            description: 'Success',
            content: bytes ? binary(bytes) : content(withDescriptions(descriptions, jsonSchema(schema, 'output'))),
          },
    ]),
  )

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

export const queryParameters = ({ query }: Endpoint) =>
  query instanceof z.ZodObject
    ? Object.entries(query.shape).map(([name, schema]) => ({
        name,
        in: 'query',
        required: !z.safeParse(schema as z.ZodType, undefined).success,
        schema: jsonSchema(schema as z.ZodType, 'input'),
      }))
    : []

/** Returns the schema of a body. Updates also accept the read-only members of their record, unchanged. */
const bodySchema = (key: string, endpoint: Endpoint, body: z.ZodType): Json => {
  const schema = jsonSchema(body, 'input')
  const update = findRecordUpdate(key, endpoint)
  if (update === undefined) return schema
  const readOnly = Object.entries(update.readOnly).map(([name, member]) => [
    name,
    { ...jsonSchema(member, 'output'), readOnly: true },
  ])
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(readOnly) } }
}

const notModified = { description: 'Without a body: `If-None-Match` names the `ETag` of the current response' }

/** The schema of a body in the documentation, or undefined if clients send none, or one that is not described. */
const documentedBody = ({ body, signedBy, signedContent }: Endpoint): z.ZodType | undefined =>
  signedBy ? signedContent : body

const recordVersion = {
  [recordVersionHeader]: { description: 'Version of the stored record, for `If-Match`', schema: { type: 'string' } },
}

/** Adds the header with the version to the successful responses of an endpoint with a record. */
const withVersion = (responses: Readonly<Record<string, object>>) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [status, { ...response, headers: recordVersion }]),
  )

const conditionHeader = ({ updates }: Endpoint) =>
  updates ? [{ name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } }] : []

const recordChanged = {
  description: 'The record has another version than `If-Match` names. `record` is the current one',
  headers: recordVersion,
  content: content({ $ref: '#/components/schemas/Error' }),
}

const signatureHeader = ({ signedBy, signedContent }: Endpoint) =>
  signedBy && signedContent ? [{ name: signedBy, in: 'header', required: true, schema: { type: 'string' } }] : []

const operation = (
  [resource, { descriptions }]: [string, Resource],
  key: string,
  endpoint: Endpoint,
  body = documentedBody(endpoint),
) => ({
  summary: endpoint.summary,
  tags: [resource],
  security: endpoint.access.minScope === 'public' && !endpoint.access.linkToken ? [] : [{ bearer: [] }],
  parameters: [
    ...pathParameters(splitKey(key).path),
    ...queryParameters(endpoint),
    ...signatureHeader(endpoint),
    ...conditionHeader(endpoint),
  ].map((parameter) => ({ ...parameter, description: describeField(descriptions, parameter.name) })),
  ...(body
    ? {
        requestBody: {
          content: content(
            withDescriptions(descriptions, bodySchema(key, endpoint, body)),
            endpoint.upload ? 'multipart/form-data' : undefined,
            requestExamples[key],
          ),
        },
      }
    : {}),
  responses: {
    ...(findStoredRecord(key, endpoint) ? withVersion : (responses: object) => responses)(
      createResponses(descriptions, endpoint),
    ),
    ...(endpoint.updates ? { 412: recordChanged } : {}),
    ...(key.startsWith('GET ') && !endpoint.bytes ? { 304: notModified } : {}),
    default: { description: 'Error', content: content({ $ref: '#/components/schemas/Error' }) },
  },
})

const error = {
  type: 'object',
  required: ['msg'],
  properties: {
    msg: { type: 'string', description: 'Error message for people' },
    code: { type: 'string', description: 'Error code for programs' },
    field: { type: 'string', description: 'Name of the invalid field' },
    record: { description: 'The current record, if the request required another version of it' },
    error: { type: 'string' },
    status: { type: 'string' },
    message: { type: 'string' },
  },
}

export const openApiDocument = () => {
  const paths: Record<string, Record<string, object>> = {}
  for (const named of Object.entries<Resource>(resources))
    for (const [key, endpoint] of Object.entries<Endpoint>(named[1].endpoints)) {
      const { method, path } = splitKey(key)
      const template = path.replace(/:(\w+)/g, '{$1}')
      paths[template] = { ...paths[template], [method.toLowerCase()]: operation(named, key, endpoint) }
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Patchbay API',
      version: '1',
      description:
        'Manage accounts, carriers, phone numbers, applications, and calls of a programmable-voice platform. Paths outside of /patchbay are compatible with jambonz.',
    },
    servers: [{ url: '/api/v1' }],
    tags: Object.keys(resources).map((name) => ({ name })),
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, schemas: { Error: error } },
    paths,
  }
}
