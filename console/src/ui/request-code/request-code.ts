/** Requests as code that users copy. The code contains no secret: it reads secrets from variables when it runs. */

export interface CodeRequest {
  method: string
  /** The whole address. */
  url: string
  /** A value that is sent as JSON, or an object with files, which is sent as a form. */
  body?: unknown
  /** The variable that receives the SID in the response, if a later request needs it. */
  result?: string
}

/** A value that is not known before the code runs. */
export interface CodeVariable {
  /** Stands for the value in addresses and bodies. */
  token: string
  /** The name of the variable in the code. */
  name: string
  /** The value comes from the environment. Otherwise it is the SID in the response to an earlier request. */
  isSecret: boolean
}

/** The environment variable with the token or the API key of all requests. */
export const tokenVariable = 'PATCHBAY_TOKEN'

let tokenCount = 0

/** Returns a token that no user enters, and that is the same in addresses, in JSON, and in shells. */
export const createToken = (kind: string): string =>
  `__${kind}_${(tokenCount += 1)}_${Math.random().toString(36).slice(2)}__`

type Part = string | CodeVariable

const splitAt = (text: string, variable: CodeVariable): Part[] =>
  text.split(variable.token).flatMap((part, at) => (at === 0 ? [part] : [variable, part]))

/** Splits a text at the tokens of variables. */
export const splitAtVariables = (text: string, variables: readonly CodeVariable[]): Part[] =>
  variables.reduce<Part[]>(
    (parts, variable) => parts.flatMap((part) => (typeof part === 'string' ? splitAt(part, variable) : [part])),
    [text],
  )

/** Returns the names and values of a body with files, or undefined for a body that is sent as JSON. */
export const toFormMembers = (body: unknown): [string, unknown][] | undefined => {
  const members = Object.entries(Object(body))
  return members.some(([, value]) => value instanceof File) ? members : undefined
}
