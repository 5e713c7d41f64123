import { autocompletion, type CompletionContext, type CompletionResult, closeBrackets } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting, syntaxTree } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers, placeholder as showPlaceholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { findJsonError } from '@patchbay/rules/webhooks/json-positions'
import { knownVerbs } from '@patchbay/rules/webhooks/verb-specs'
import {
  isRejected,
  parseVerbNames,
  specAt,
  type VerbError,
  type VerbPath,
  validateVerbs,
} from '@patchbay/rules/webhooks/verbs'

/** JSON editor for verbs. It marks what the platform would reject and completes verbs, properties, and values. */

type Node = ReturnType<typeof syntaxTree>['topNode']

const values = new Set(['True', 'False', 'Null', 'Number', 'String', 'Object', 'Array'])

const getChildren = (node: Node, matches: (name: string) => boolean): Node[] => {
  const children: Node[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) if (matches(child.name)) children.push(child)
  return children
}

const valuesIn = (node: Node) => getChildren(node, (name) => values.has(name))
const getProperties = (node: Node) => getChildren(node, (name) => name === 'Property')

/** Returns the value of a string literal, or an empty string if the literal is incomplete. */
const parseString = (state: EditorState, node: Node | null): string => {
  const written = node ? state.sliceDoc(node.from, node.to) : ''
  try {
    return String(JSON.parse(written))
  } catch {
    return ''
  }
}

const getPropertyName = (state: EditorState, property: Node): string =>
  parseString(state, property.getChild('PropertyName'))

/** Converts the syntax tree to a value, even if the JSON is incomplete. Literals other than strings become null. */
const toPartialValue = (state: EditorState, node: Node | undefined): unknown => {
  if (node?.name === 'Array') return valuesIn(node).map((item) => toPartialValue(state, item))
  if (node?.name === 'Object')
    return Object.fromEntries(
      getProperties(node).map((property) => [
        getPropertyName(state, property),
        toPartialValue(state, valuesIn(property)[0]),
      ]),
    )
  return node?.name === 'String' ? parseString(state, node) : null
}

const findRange = (state: EditorState, path: VerbPath): { from: number; to: number } => {
  let node: Node = syntaxTree(state).topNode
  let [value] = valuesIn(node)
  for (const step of path) {
    if (value === undefined) break
    if (typeof step === 'number') {
      const item: Node | undefined = valuesIn(value)[step]
      node = item ?? value
      value = item
    } else {
      const property = getProperties(value).find((one) => getPropertyName(state, one) === step)
      node = property ?? value
      value = property && valuesIn(property)[0]
    }
  }
  // Only the first line of a long value is marked.
  return { from: node.from, to: Math.min(node.to, state.doc.lineAt(node.from).to) }
}

const formatWarning = ({ message, unknownVerb }: VerbError): string =>
  `${unknownVerb === undefined ? message : `Patchbay does not know the verb ${unknownVerb}`}. It is saved without a check`

/** @param storedVerbs Names of verbs that the server accepts even if they are unknown, because it has stored them */
const getDiagnostics = (view: EditorView, storedVerbs: ReadonlySet<string>): Diagnostic[] => {
  const { state } = view
  const text = state.doc.toString()
  if (text.trim() === '') return []
  const broken = findJsonError(text)
  if (broken) return [{ from: broken.at, to: broken.at, severity: 'error', message: broken.message }]
  return validateVerbs(JSON.parse(text)).map((error) => {
    const range = findRange(state, error.path)
    return isRejected(error, storedVerbs)
      ? { ...range, severity: 'error', message: error.message }
      : { ...range, severity: 'warning', message: formatWarning(error) }
  })
}

/** Returns the path from the document root to a node. */
const pathTo = (state: EditorState, at: Node): VerbPath => {
  const path: (string | number)[] = []
  for (let node: Node | null = at; node?.parent; node = node.parent) {
    const { parent } = node
    if (parent.name === 'Array') path.unshift(valuesIn(parent).findIndex(({ from }) => from === node?.from))
    if (parent.name === 'Property') path.unshift(getPropertyName(state, parent))
  }
  return path
}

const choicesAt = (state: EditorState, position: number, before: string): readonly string[] => {
  let object: Node | null = syntaxTree(state).resolveInner(position, -1)
  while (object && object.name !== 'Object') object = object.parent
  if (object === null) return []
  const path = pathTo(state, object)
  const spec = specAt(toPartialValue(state, valuesIn(syntaxTree(state).topNode)[0]), path)
  const key = /"([^"]*)"\s*:\s*$/.exec(before)?.[1]
  if (key === undefined) return [...(path.length === 1 ? ['verb'] : []), ...Object.keys(spec?.properties ?? {})]
  if (key === 'verb' && path.length === 1) return knownVerbs
  const property = spec?.properties[key]
  return typeof property === 'object' ? property.enum : []
}

const complete = (context: CompletionContext): CompletionResult | null => {
  const { state, pos } = context
  const word = context.matchBefore(/"[\w:]*/)
  if (word === null) return null
  const before = state.sliceDoc(Math.max(0, word.from - 200), word.from)
  const options = choicesAt(state, word.from, before).map((label) => ({
    label,
    apply: (view: EditorView, _: unknown, from: number, to: number) => {
      const isClosed = view.state.sliceDoc(to, to + 1) === '"'
      view.dispatch({
        changes: { from, to: isClosed ? to + 1 : to, insert: `${label}"` },
        selection: { anchor: from + label.length + 1 },
      })
    },
  }))
  return options.length === 0 ? null : { from: word.from + 1, to: pos, options, validFor: /^[\w:]*$/ }
}

const highlightStyle = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.invalid, color: 'var(--danger)' },
])

const look = EditorView.theme({
  '&': {
    border: '1px solid var(--control-line)',
    borderRadius: 'var(--radius)',
    background: 'var(--ground)',
    color: 'var(--text)',
    fontSize: 'var(--size-small)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', maxHeight: '30rem' },
  '.cm-content, .cm-gutter': { minHeight: '10rem' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--text-muted)', border: 'none' },
  '.cm-placeholder': { color: 'var(--text-muted)' },
  '.cm-tooltip': { background: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-solid)', color: 'var(--on-accent)' },
  '.cm-tooltip.cm-tooltip-autocomplete': {
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)' },
  '&[data-invalid]': { borderColor: 'var(--danger)' },
  '&[data-invalid].cm-focused': { outlineColor: 'var(--danger)' },
})

export interface VerbEditor {
  show(text: string): void
  mark(how: { isInvalid: boolean; isReadOnly: boolean }): void
  focus(): void
  destroy(): void
}

interface VerbEditorOptions {
  text: string
  /** The stored text. */
  stored: string
  label: string
  placeholder: string
  onChange: (text: string) => void
  onBlur: () => void
  /** Called after each validation with the first error, or else the first warning, and the number of both. */
  onDiagnostics: (first: string | undefined, count: number) => void
}

/**
 * CodeMirror injects style elements into a document, which the Content-Security-Policy of the page blocks. In a shadow
 * root it uses adopted style sheets.
 */
const getShadowRoot = (host: HTMLElement): ShadowRoot =>
  host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true })

export const createVerbEditor = (host: HTMLElement, options: VerbEditorOptions): VerbEditor => {
  const { label, placeholder, stored, onChange, onBlur, onDiagnostics } = options
  const storedVerbs = parseVerbNames(stored)
  const marks = new Compartment()
  const attributes = (isInvalid: boolean, isReadOnly: boolean) => [
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-required': 'true',
      ...(isInvalid ? { 'aria-invalid': 'true' } : {}),
    }),
    EditorView.editorAttributes.of(isInvalid ? { 'data-invalid': '' } : {}),
    EditorState.readOnly.of(isReadOnly),
    EditorView.editable.of(!isReadOnly),
  ]
  const check = (view: EditorView) => {
    const diagnostics = getDiagnostics(view, storedVerbs)
    const first = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
    onDiagnostics(first && `Line ${view.state.doc.lineAt(first.from).number}: ${first.message}`, diagnostics.length)
    return diagnostics
  }
  const root = getShadowRoot(host)
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        history(),
        json(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [complete] }),
        syntaxHighlighting(highlightStyle),
        linter(check, { delay: 300 }),
        lintGutter(),
        showPlaceholder(placeholder),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString())
        }),
        EditorView.domEventHandlers({ blur: onBlur }),
        look,
        marks.of(attributes(false, false)),
      ],
    }),
  })
  // `delegatesFocus` focuses the first focusable element of the shadow root, which is the scroller.
  view.scrollDOM.addEventListener('focus', () => view.focus())
  return {
    show(text) {
      if (text !== view.state.doc.toString())
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    mark: ({ isInvalid, isReadOnly }) =>
      view.dispatch({ effects: marks.reconfigure(attributes(isInvalid, isReadOnly)) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}
