import { throwApiError } from '@patchbay/contract/errors'

/**
 * Creates the responses of handlers, with a literal status so that the contract's types apply. A handler that returns
 * nothing responds with 204.
 */
export const ok = <T>(body: T): { status: 200; body: T } => ({ status: 200, body })
export const created = <T>(body: T): { status: 201; body: T } => ({ status: 201, body })
export const noContent = { status: 204, body: undefined } as const

/** Responds with the SID of a created record. */
export const createdSid = async (sid: Promise<string>) => created({ sid: await sid })

/** Responds with a record, or with 404 if it does not exist. */
export const found = async <T>(record: Promise<T | undefined>) => ok((await record) ?? throwApiError('not_found'))
