import { type CodeRequest, type CodeVariable, splitAtVariables, toFormMembers, tokenVariable } from './request-code.ts'

const toExpression = ({ name, isSecret }: CodeVariable): string => (isSecret ? `env(${JSON.stringify(name)})` : name)

/** Returns a string expression. JSON strings are strings of JavaScript. */
const toText = (text: string, variables: readonly CodeVariable[]): string =>
  splitAtVariables(text, variables)
    .filter((part) => part !== '')
    .map((part) => (typeof part === 'string' ? JSON.stringify(part) : toExpression(part)))
    .join(' + ') || '""'

/** Returns an object or array expression. A variable is always the whole value of a member. */
const toValue = (value: unknown, variables: readonly CodeVariable[]): string => {
  const text = JSON.stringify(value, null, 2)
    // A member of this name would be the prototype of the object.
    .replaceAll(/^( *)"__proto__":/gm, '$1["__proto__"]:')
  return variables.reduce(
    (code, variable) => code.replaceAll(`"${variable.token}"`, () => toExpression(variable)),
    text,
  )
}

/** Returns an expression for a form whose files are in the working directory. */
const toForm = (members: readonly [string, unknown][]): string => {
  const values = members.map(([name, value]) =>
    value instanceof File
      ? `${JSON.stringify(name)}, await openAsBlob(${JSON.stringify(value.name)}), ${JSON.stringify(value.name)}`
      : `${JSON.stringify(name)}, ${JSON.stringify(String(value))}`,
  )
  return `toForm([${values.map((value) => `[${value}]`).join(', ')}])`
}

const toCall = ({ method, url, body, result }: CodeRequest, variables: readonly CodeVariable[]): string => {
  const members = toFormMembers(body)
  const content = members === undefined ? body !== undefined && toValue(body, variables) : toForm(members)
  const call = `await request(${[JSON.stringify(method), toText(url, variables), ...(content ? [content] : [])].join(', ')})`
  return result === undefined ? `console.log(${call})` : `const ${result} = (${call}).sid`
}

const envFunction = `const env = (name) => {
  if (!process.env[name]) throw new Error(\`Set the environment variable \${name}\`)
  return process.env[name]
}`

const requestFunction = `const request = async (method, url, body) => {
  const response = await fetch(url, {
    method,
    headers: { Authorization: \`Bearer \${env('${tokenVariable}')}\`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(\`\${response.status} \${text}\`)
  return text && JSON.parse(text)
}`

/** Takes the place of the one above if a request sends a file. */
const formFunctions = `const toForm = (members) => {
  const form = new FormData()
  for (const member of members) form.set(...member)
  return form
}

const request = async (method, url, body) => {
  const isForm = body instanceof FormData
  const response = await fetch(url, {
    method,
    headers: {
      Authorization: \`Bearer \${env('${tokenVariable}')}\`,
      ...(isForm ? {} : { 'Content-Type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(\`\${response.status} \${text}\`)
  return text && JSON.parse(text)
}`

/** Returns a module for Node.js that sends requests, one after the other. */
export const toJavaScript = (requests: readonly CodeRequest[], variables: readonly CodeVariable[] = []): string => {
  const hasFiles = requests.some(({ body }) => toFormMembers(body))
  return [
    ...(hasFiles ? ["import { openAsBlob } from 'node:fs'"] : []),
    envFunction,
    hasFiles ? formFunctions : requestFunction,
    requests.map((request) => toCall(request, variables)).join('\n'),
  ].join('\n\n')
}
