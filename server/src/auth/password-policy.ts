import { throwInvalid } from '@patchbay/contract/api/errors'
import {
  defaultPasswordPolicy,
  missingPasswordRequirements,
  normalizePassword,
  type PasswordPolicy,
  passwordErrorMessage,
} from '@patchbay/rules/identity/passwords'
import type { Kysely } from 'kysely'
import type { Configuration } from '../config/configuration.ts'
import type { Tables } from '../database/tables.ts'
import commonPasswords from './common-passwords.json' with { type: 'json' }

/** Reads the password policy, which is a single row. Returns the defaults if it does not exist. */
export const readPasswordPolicy = async (db: Kysely<Tables>) =>
  (await db
    .selectFrom('password_settings')
    .select(['min_password_length', 'require_digit', 'require_special_character'])
    .limit(1)
    .executeTakeFirst()) ?? {
    ...defaultPasswordPolicy,
    require_digit: 0 as const,
    require_special_character: 0 as const,
  }

/** The three thousand most common passwords of six characters or more (from the lists of zxcvbn, MIT License). */
const common = new Set(commonPasswords)

/** Checks a password that a person chooses, for themselves or for a user that they manage. */
export const checkNewPassword = (
  { rejectCommonPasswords }: Pick<Configuration, 'rejectCommonPasswords'>,
  password: string,
  policy: PasswordPolicy,
  field: string,
): void => {
  const [fault] = missingPasswordRequirements(password, policy)
  if (fault) throwInvalid(passwordErrorMessage(fault, policy), field)
  if (rejectCommonPasswords && common.has(normalizePassword(password).toLowerCase()))
    throwInvalid('password is too common', field)
}
