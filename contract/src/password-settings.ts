import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { booleanInput, flag } from './api/values.ts'

/**
 * The password policy of the platform (docs/reference/platform-api/identity.md#password-settings). The minimum length
 * can be 6 to 20.
 */

export const passwordSettings = z.object({
  min_password_length: z.number(),
  require_digit: flag,
  require_special_character: flag,
})

const length = z.custom<number>((value) => Number.isInteger(value) && Number(value) >= 6 && Number(value) <= 20, {
  error: 'invalid min_password_length property: should be between 6-20',
})

/** Ignores unknown keys for API compatibility. */
const change = z.object({
  min_password_length: length.optional(),
  require_digit: booleanInput.optional(),
  require_special_character: booleanInput.optional(),
})

export const passwordSettingsEndpoints = endpoints({
  'GET /PasswordSettings': {
    summary: 'Get the password policy',
    access: { minScope: 'account', owner: 'none', whilePasswordMustChange: true, allowResetLink: true },
    responses: { 200: passwordSettings },
  },
  'POST /PasswordSettings': {
    summary: 'Update the password policy',
    access: { minScope: 'admin', owner: 'none', errorCode: 'forbidden' },
    updates: { record: 'GET /PasswordSettings', stored: { table: 'password_settings' } },
    body: change,
    responses: { 201: z.object({}) },
  },
  'PUT /PasswordSettings': {
    summary: 'Update the password policy',
    access: { minScope: 'admin', owner: 'none', errorCode: 'forbidden' },
    updates: { record: 'GET /PasswordSettings', stored: { table: 'password_settings' } },
    body: change,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const passwordSettingsDescriptions: Descriptions = {
  min_password_length: 'Minimum length of passwords, from 6 to 20.',
  require_digit: 'Whether passwords require a digit.',
  require_special_character: 'Whether passwords require a special character.',
}
