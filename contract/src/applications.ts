import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { storedHook } from './hooks.ts'
import { listOrPage, listPageQuery } from './list-pages.ts'
import { flag, instant } from './values.ts'

/** Applications (api/1-identity.md §11). */

export const application = z.object({
  application_sid: z.string(),
  name: z.string(),
  /** set only for the test applications of a provider */
  service_provider_sid: z.string().nullable(),
  account_sid: z.string().nullable(),
  call_hook: storedHook.nullable(),
  call_status_hook: storedHook.nullable(),
  messaging_hook: storedHook.nullable(),
  /** JSON text: an array of verbs */
  app_json: z.string().nullable(),
  speech_synthesis_vendor: z.string(),
  speech_synthesis_language: z.string(),
  speech_synthesis_voice: z.string().nullable(),
  speech_synthesis_label: z.string().nullable(),
  speech_recognizer_vendor: z.string(),
  speech_recognizer_language: z.string(),
  speech_recognizer_label: z.string().nullable(),
  use_for_fallback_speech: flag.nullable(),
  fallback_speech_synthesis_vendor: z.string().nullable(),
  fallback_speech_synthesis_language: z.string().nullable(),
  fallback_speech_synthesis_voice: z.string().nullable(),
  fallback_speech_synthesis_label: z.string().nullable(),
  fallback_speech_recognizer_vendor: z.string().nullable(),
  fallback_speech_recognizer_language: z.string().nullable(),
  fallback_speech_recognizer_label: z.string().nullable(),
  /** by name; what secrets are called is masked for those who may not edit the application */
  env_vars: z.record(z.string(), z.unknown()).nullable(),
  created_at: instant,
  record_all_calls: flag,
})
export type Application = z.infer<typeof application>

const list = listOrPage(application)

/** `name` is a part of it, without regard to case; % and _ stand for any. */
const listQuery = z.object({ ...listPageQuery, name: z.string().max(255).optional() })

export const applicationEndpoints = endpoints({
  'GET /Applications': {
    summary: 'The applications the caller may see, or a page of them',
    access: { least: 'account', owner: 'narrowed' },
    query: listQuery,
    answers: { 200: list },
  },
  'GET /Accounts/:account_sid/Applications': {
    summary: 'The applications of an account, or a page of them',
    access: { least: 'account', owner: { of: 'account', param: 'account_sid' } },
    query: listQuery,
    answers: { 200: list },
  },
  'GET /ServiceProviders/:service_provider_sid/Applications': {
    summary: 'The applications of the accounts of a service provider',
    access: { least: 'account', owner: { of: 'service_provider', param: 'service_provider_sid', members: 'read' } },
    answers: { 200: z.array(application) },
  },
  'GET /Applications/:application_sid': {
    summary: 'One application',
    access: { least: 'account', owner: { of: 'application', param: 'application_sid' }, refusal: 'not_found' },
    answers: { 200: application },
  },
})
