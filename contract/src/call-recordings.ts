import { z } from 'zod'
import { accountAccess, type Bytes, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'

/**
 * The recording of a call (docs/reference/platform-api/recordings.md#url). The `recording_url` of a call is the path of
 * this endpoint.
 */

const recording = z.custom<Bytes>((value) => value instanceof Object && 'content' in value)

/** A Patchbay extension. The service provider can mute all recordings, in which case the parameter has no effect. */
const mutedQuery = z.object({ muted: z.enum(['true', 'false'], { error: 'must be true or false' }).optional() })

const types = ['audio/mp3', 'audio/wav'] as const

export const callRecordingEndpoints = endpoints({
  'GET /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    summary: 'Download the recording of a call of an account, or a range of it; 404 if there is none',
    access: accountAccess,
    query: mutedQuery,
    responses: { 200: recording },
    bytes: types,
    lenientSids: true,
  },
  'DELETE /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    summary: 'Delete the recording of a call of an account; the call keeps its recording_url',
    access: accountAccess,
    responses: { 204: null },
    lenientSids: true,
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    summary: 'Download the recording of a call of a service provider, or a range of it; 404 if there is none',
    access: providerAccess,
    query: mutedQuery,
    responses: { 200: recording },
    bytes: types,
    lenientSids: true,
  },
  'DELETE /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': {
    summary: 'Delete the recording of a call of a service provider; the call keeps its recording_url',
    access: providerAccess,
    responses: { 204: null },
    lenientSids: true,
  },
})

/** Descriptions of fields for the API documentation. */
export const callRecordingDescriptions: Descriptions = {
  format: 'Format of the recording: mp3 or wav.',
  month: 'Month of the call in two digits.',
  muted: 'true for a recording that is silent where the conversation is masked. 409 if Patchbay does not know where.',
  year: 'Year of the call.',
}
