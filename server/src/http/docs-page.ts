import { type Access, type Descriptions, type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { type Resource, resources } from '@patchbay/contract/contract'
import { recordNoun } from '@patchbay/contract/shared/record-kinds'
import { emptyHtml, type Html, html } from '../lib/html.ts'
import { describeField } from './describe-field.ts'
import { schemaText } from './format-schema.ts'
import { jsonSchema, queryParameters } from './openapi.ts'

/** The API documentation page: the contract as HTML, grouped by resource. */

const toId = (text: string): string => text.toLowerCase().replace(/\W+/g, '-').replace(/-$/, '')

const minScope: Readonly<Record<Access['minScope'], string>> = {
  public: 'No authentication required.',
  account: 'All users and API keys',
  service_provider: 'Users and API keys of a service provider, and admins',
  admin: 'Admins',
}

const ownerText = ({ minScope: scope, owner }: Access): string => {
  if (scope === 'public') return ''
  if (owner === 'self') return ', for their own user.'
  if (owner === 'narrowed') return '; the response contains only records that the caller can access.'
  if (owner === 'body') return ', for records that they own.'
  if (owner === 'none' || scope === 'admin') return '.'
  const readers = owner.members === 'read' ? ' Account users can read the service provider of their account.' : ''
  return `, if they have access to the ${recordNoun(owner.of)}.${readers}`
}

/** Describes the access rule in words. */
const describeAccess = (method: string, access: Access): string =>
  [
    minScope[access.minScope] + ownerText(access),
    access.usersOnly ? 'API keys are not allowed.' : '',
    access.minScope !== 'public' && method !== 'GET' && !access.allowViewOnly ? 'View-only users are not allowed.' : '',
    access.whilePasswordMustChange ? 'Also allowed for users who must change their password first.' : '',
  ]
    .filter(Boolean)
    .join(' ')

interface Parameter {
  name: string
  where: string
  required: boolean
  type: string
  description?: string | undefined
}

const listParameters = (descriptions: Descriptions, path: string, endpoint: Endpoint): Parameter[] =>
  [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({ name, where: 'path', required: true, type: 'text' })),
    ...queryParameters(endpoint).map(({ name, required, schema }) => ({
      name,
      where: 'query',
      required,
      type: schemaText(schema),
    })),
  ].map((parameter) => ({ ...parameter, description: describeField(descriptions, parameter.name) }))

const parameterRow = ({ name, where, required, type, description }: Parameter): Html =>
  html`<tr><th scope="row"><code>${name}</code></th><td>${where}${required ? ', required' : ''}</td><td>${type}</td><td>${description ?? ''}</td></tr>`

const parameterTable = (parameters: readonly Parameter[]): Html =>
  parameters.length === 0
    ? emptyHtml
    : html`<h3>Parameters</h3><table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Value</th><th scope="col">Description</th></tr></thead><tbody>${parameters.map(parameterRow)}</tbody></table>`

const bodyPart = ({ body }: Endpoint): Html =>
  body ? html`<h3>Body</h3><pre><code>${schemaText(jsonSchema(body, 'input'))}</code></pre>` : emptyHtml

const answerParts = ({ responses, bytes }: Endpoint): Html[] =>
  Object.entries(responses).map(([status, schema]) =>
    bytes
      ? html`<p><code>${status}</code> of ${bytes.join(', ')}</p>`
      : schema === null
        ? html`<p><code>${status}</code> without a body</p>`
        : html`<p><code>${status}</code></p><pre><code>${schemaText(jsonSchema(schema, 'output'))}</code></pre>`,
  )

/** Allows line breaks at the slashes of a path. */
const pathText = (path: string): Html[] => path.split(/(?=\/)/).map((part) => html`${part}<wbr>`)

const endpointPart = (descriptions: Descriptions, [key, endpoint]: [string, Endpoint]): Html => {
  const { method, path } = splitKey(key)
  const template = path.replace(/:(\w+)/g, '{$1}')
  return html`<details id="${toId(key)}"><summary><span class="method ${method.toLowerCase()}">${method}</span><code>${pathText(template)}</code><span class="what">${endpoint.summary}</span></summary>
<div><h3>Access</h3><p>${describeAccess(method, endpoint.access)}</p>${parameterTable(listParameters(descriptions, path, endpoint))}${bodyPart(endpoint)}<h3>Responses</h3>${answerParts(endpoint)}</div></details>
`
}

const resourcePart = ([name, { endpoints, descriptions }]: [string, Resource]): Html =>
  html`<section aria-labelledby="${toId(name)}"><h2 id="${toId(name)}">${name}</h2>
${Object.entries<Endpoint>(endpoints).map((entry) => endpointPart(descriptions, entry))}</section>
`

const link = (name: string): Html => html`<li><a href="#${toId(name)}">${name}</a></li>`

export const docsPage = (): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · Patchbay</title>
<link rel="icon" href="/patchbay.svg" type="image/svg+xml">
<link rel="stylesheet" href="/api/docs/style.css">
<script src="/api/docs/script.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a href="/">Patchbay</a><a href="/api/docs/json">OpenAPI document</a></header>
<div class="columns">
<nav aria-label="Resources"><ul>${Object.keys(resources).map(link)}</ul></nav>
<main id="main" tabindex="-1">
<h1>Patchbay API</h1>
<p>All paths are available under <code>/api/v1</code> and <code>/v1</code>. Send a session token or an API key as <code>Authorization: Bearer</code>. An error response is JSON with a readable <code>msg</code>, a <code>code</code> for programs and, for an invalid field, its name as <code>field</code>.</p>
<form role="search" hidden><label for="search">Search</label><input id="search" type="search" placeholder="Path, word, or field" autocomplete="off" spellcheck="false"><button type="button" aria-pressed="false">Open all</button><output></output></form>
${Object.entries<Resource>(resources).map(resourcePart)}</main>
</div>
</body>
</html>
`.html
