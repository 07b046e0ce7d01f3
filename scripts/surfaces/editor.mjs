// What an editor knows of the API when somebody writes a program with it.
import { join, relative } from 'node:path'
import ts from 'typescript'
import { root } from '../setup/shared.mjs'

/** The functions of src/api/form.ts that make an operation of its shape and its steps. */
const FORMS = ['asynchronous', 'synchronous', 'direct', 'awaited']

const textOf = (parts = []) => parts.map(({ text }) => text).join('')

export class Editor {
  #file = join(root, 'program.ts') // stands in memory only
  #text = ''
  #version = 0
  #service

  /** @param modules what the program imports, by their names in the tables, as it would write them */
  constructor({ core, simple, verify }) {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
    const read = (path) => (path === this.#file ? this.#text : ts.sys.readFile(path))
    this.#service = ts.createLanguageService({
      getScriptFileNames: () => [this.#file],
      getScriptVersion: (path) => (path === this.#file ? `${this.#version}` : ''),
      getScriptSnapshot: (path) => {
        const text = read(path)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => root,
      getCompilationSettings: () => options,
      getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
      readFile: read,
      fileExists: (path) => path === this.#file || ts.sys.fileExists(path),
      directoryExists: (path) => ts.sys.directoryExists(path),
      realpath: (path) => ts.sys.realpath(path),
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    })
    const imports = [
      `import * as core from '${core}'`,
      `import * as simple from '${simple}'`,
      `import * as verify from '${verify}'`,
      'const agent = new core.SxAgent()',
    ]
    this.#write(imports)
    const surfaces = ['core', 'simple', 'agent', 'verify'].map((surface) => [surface, this.#membersOf(surface)])
    /** The names of all values of each surface. */
    this.members = Object.fromEntries(surfaces)
    this.#write([...imports, ...surfaces.flatMap(([surface, names]) => names.map((name) => `${surface}.${name}`))])
  }

  #write(lines) {
    this.#text = lines.map((line) => `${line}\n`).join('')
    this.#version += 1
  }

  get #checker() {
    return this.#service.getProgram().getTypeChecker()
  }

  get #source() {
    return this.#service.getProgram().getSourceFile(this.#file)
  }

  #membersOf(surface) {
    const declared = this.#checker.getSymbolsInScope(this.#source, ts.SymbolFlags.Alias | ts.SymbolFlags.Variable)
    const type = this.#checker.getTypeOfSymbol(declared.find(({ name }) => name === surface))
    // Those that a symbol names are no operations.
    return type.getProperties().flatMap(({ name }) => (name.startsWith('__@') ? [] : [name]))
  }

  /** The place in the program that uses a member. */
  #use(surface, name) {
    const text = `${surface}.${name}`
    return this.#source.statements.find((statement) => statement.getText() === text).expression.name
  }

  /** A function's ways to be called: names and types of parameters, and what is returned. */
  signatures(surface, name) {
    const type = this.#checker.getTypeAtLocation(this.#use(surface, name))
    return type.getCallSignatures().map((signature) => {
      const parameters = signature.parameters.flatMap((parameter) => this.#parametersOf(parameter))
      return {
        names: parameters.map((parameter) => parameter.name),
        types: parameters.map((parameter) => parameter.type),
        returns: this.#checker.typeToString(signature.getReturnType()),
      }
    })
  }

  /** A parameter; of a rest parameter that was inferred, those that it stands for. */
  #parametersOf(parameter) {
    const type = this.#checker.getTypeOfSymbol(parameter)
    if (!parameter.valueDeclaration.dotDotDotToken || !this.#checker.isTupleType(type))
      return [{ name: parameter.name, type }]
    const labels = type.target.labeledElementDeclarations
    return this.#checker.getTypeArguments(type).map((one, at) => ({ name: labels[at].name.text, type: one }))
  }

  /** Whether what one parameter takes is taken by another too; that either may be left out says nothing. */
  isTaken(type, by) {
    const parts = (type.isUnion() ? type.types : [type]).filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0)
    const isSame = (part) =>
      this.#checker.typeToString(part) === this.#checker.typeToString(this.#checker.getNonNullableType(by))
    // Type parameters of two functions are two types: those that are written the same are taken for one.
    return parts.every((part) => this.#checker.isTypeAssignableTo(part, by) || isSame(part))
  }

  /** What appears beside the pointer; `lost` are links that lead nowhere. */
  tooltip(surface, name) {
    const info = this.#service.getQuickInfoAtPosition(this.#file, this.#use(surface, name).getStart())
    const { displayParts, documentation = [], tags = [] } = info
    const parts = [...documentation, ...tags.flatMap((tag) => tag.text ?? [])]
    return {
      type: textOf(displayParts),
      text: textOf(documentation),
      tags: tags.map((tag) => tag.name),
      lost: parts.filter(({ kind }) => kind === 'linkText').map(({ text }) => text.trim()),
    }
  }

  /**
   * The options that operations take: where, and whether the operation's shape declares them.
   *
   * @param folder of the files to look at, or a file
   */
  options(folder) {
    const found = []
    for (const source of this.#service.getProgram().getSourceFiles()) {
      const file = relative(root, source.fileName).replaceAll('\\', '/')
      if (!file.startsWith(folder)) continue
      const visit = (node) => {
        const [shape, f] = isForm(node) ? node.arguments : []
        if (f !== undefined) found.push(...this.#optionsOf(shape, f).map((one) => ({ ...one, file, line: lineOf(f) })))
        ts.forEachChild(node, visit)
      }
      visit(source)
    }
    return found
  }

  /** The parameters of an operation that are options. The first parameter is the session. */
  #optionsOf(shape, f) {
    const declared = placesIn(shape)
    return f.parameters.slice(1).flatMap((parameter, at) => {
      const types = optionTypesIn(parameter)
      if (types.length === 0 && parameter.name.getText() !== 'options') return []
      const names = types.length > 0 ? types.flatMap((type) => this.#namesOf(type)) : this.#namesOf(parameter)
      return [{ name: f.name?.text ?? '', at, names, isDeclared: declared.includes(at) }]
    })
  }

  /** The members of an object that a node stands for. */
  #namesOf(node) {
    const type = this.#checker.getNonNullableType(this.#checker.getTypeAtLocation(node))
    return this.#checker.getPropertiesOfType(type).map(({ name }) => name)
  }

  /** Where "go to definition" leads: to files, places in them and names. */
  definitions(surface, name) {
    const found = this.#service.getDefinitionAtPosition(this.#file, this.#use(surface, name).getStart()) ?? []
    return found.map(({ fileName, textSpan, name }) => ({
      file: relative(root, fileName).replaceAll('\\', '/'),
      at: textSpan.start,
      name,
    }))
  }
}

function isForm(node) {
  return (
    ts.isCallExpression(node) && FORMS.includes(node.expression.getText()) && ts.isFunctionExpression(node.arguments[1])
  )
}

const lineOf = (node) => node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1

/** The types in what a parameter may be whose name says that they are options. */
function optionTypesIn({ type }) {
  if (type === undefined) return []
  const parts = ts.isUnionTypeNode(type) ? [...type.types] : [type]
  return parts.filter((part) => ts.isTypeReferenceNode(part) && part.typeName.getText().endsWith('Options'))
}

const memberOf = (object, name) =>
  object.properties.find((property) => ts.isPropertyAssignment(property) && property.name.getText() === name)
    ?.initializer

/** The places of the arguments that a shape declares as options. */
function placesIn(shape) {
  const options = ts.isObjectLiteralExpression(shape) ? memberOf(shape, 'options') : undefined
  if (options === undefined) return []
  const all = ts.isArrayLiteralExpression(options) ? [...options.elements] : [options]
  return all.map((one) => Number(memberOf(one, 'at').getText()))
}
