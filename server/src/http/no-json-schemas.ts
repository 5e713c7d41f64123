/** Options of Fastify for servers whose routes have no JSON schemas, because zod validates requests. */

const rejectSchema = (): never => {
  throw new Error('Routes have no JSON schemas. The contract validates requests and responses.')
}

/**
 * Prevents Fastify from loading its libraries for JSON schemas (ajv, fast-json-stringify), which a server without
 * schemas never calls. A route with a schema fails at the start.
 */
export const noJsonSchemas = {
  schemaController: { compilersFactory: { buildValidator: rejectSchema, buildSerializer: rejectSchema } },
}
