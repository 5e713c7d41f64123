import { type CodeRequest, type CodeVariable, splitAtVariables, toFormMembers, tokenVariable } from './request-code.ts'

/** Quotes a text as a part of a word of a POSIX shell. */
const quoteLiteral = (text: string): string => (text === '' ? '' : `'${text.replaceAll("'", String.raw`'\''`)}'`)

/** Quotes a text as one word of a POSIX shell. Secrets are escaped, because they are only in JSON. */
const quote = (text: string, variables: readonly CodeVariable[] = []): string =>
  splitAtVariables(text, variables)
    .map((part) => {
      if (typeof part === 'string') return quoteLiteral(part)
      return part.isSecret ? `"$(json "$${part.name}")"` : `"$${part.name}"`
    })
    .join('') || "''"

const toBodyOptions = (body: unknown, variables: readonly CodeVariable[]): string[] => {
  if (body === undefined) return []
  const members = toFormMembers(body)
  if (members === undefined)
    return [`-H ${quote('Content-Type: application/json')}`, `--data-raw ${quote(JSON.stringify(body), variables)}`]
  return members.map(([name, value]) =>
    value instanceof File
      ? `-F ${quote(`${name}=@${value.name}`)}`
      : `--form-string ${quote(`${name}=${String(value)}`)}`,
  )
}

/** Returns a curl command for a request. The command reads the token from a variable, so it contains no secret. */
export const toCurl = ({ method, url, body }: CodeRequest, variables: readonly CodeVariable[] = []): string =>
  [
    // Without this option, curl interprets brackets in a URL as a range.
    `curl${/[[\]{}]/.test(url) ? ' -g' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${quote(url, variables)}`,
    `-H "Authorization: Bearer $${tokenVariable}"`,
    ...toBodyOptions(body, variables),
  ].join(' \\\n  ')

/** A shell function that writes a text as the content of a JSON string. The dot keeps a line break at the end. */
const jsonFunction = String.raw`json() {
  printf '%s.' "$1" | awk '{
    gsub(/[\\"]/, "\\\\&"); gsub(/\t/, "\\t"); gsub(/\r/, "\\r"); printf "%s%s", (NR > 1 ? "\\n" : ""), $0
  }' | sed 's/\.$//'
}`

/** Sets a variable to the SID in the response, which is displayed, too. Without a SID, the rest is not run. */
const withResult = (command: string, result: string): string =>
  `${result}=$(${command.replace(/^curl/, 'curl -sS')} |
  tee /dev/stderr | sed -n ${String.raw`'s/.*"sid": *"\([^"]*\)".*/\1/p'`}) && : "\${${result}:?}"`

/** Returns a shell script for requests, each of which is sent if those before it have succeeded. */
export const toCurlScript = (requests: readonly CodeRequest[], variables: readonly CodeVariable[]): string => {
  const secrets = variables.filter(({ isSecret }) => isSecret)
  return [
    ...secrets.map(({ name }) => `: "\${${name}:?}"`),
    ...(secrets.length > 0 ? [jsonFunction] : []),
    ...requests.map((request) => {
      const command = toCurl(request, variables).replace(/^curl/, 'curl --fail-with-body')
      return request.result === undefined ? command : withResult(command, request.result)
    }),
  ].join(' &&\n')
}
