import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { application } from './applications.ts'

/**
 * Test numbers and test applications of a service provider, for hosted portals
 * (docs/reference/platform-api/hosted-mode.md#test-numbers).
 */

const accountTest = z.object({ phonenumbers: z.array(z.string()), applications: z.array(application) })
export type AccountTest = z.infer<typeof accountTest>

export const accountTestEndpoints = endpoints({
  'GET /AccountTest/:service_provider_sid': {
    summary: 'List the test numbers and test applications of a service provider, without credentials',
    access: { minScope: 'public', owner: 'none', optionalAuth: true },
    responses: { 200: accountTest },
  },
})

/** Descriptions of fields for the API documentation. */
export const accountTestDescriptions: Descriptions = {
  phonenumbers: 'Numbers that the service provider uses for tests.',
}
