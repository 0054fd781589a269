// inputs: src/infra/** test/fixtures/cloudformation/**
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cloudFormationTemplate } from "../../src/infra/index.ts";
import { repositoryRoot } from "../support/repository.ts";

/**
 * The types of the resources in our template, as AWS publishes them (from the package
 * `@aws-cdk/aws-service-spec`, version in the file), so that the check needs no network.
 */
const file = join(repositoryRoot, "test/fixtures/cloudformation/resource-types.json");
const { resources } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly resources: Readonly<Record<string, ResourceType>>;
};

interface ResourceType {
  readonly properties: Properties;
  readonly types: Readonly<Record<string, Properties>>;
}
type Properties = Readonly<Record<string, { readonly required?: true; readonly type: Type }>>;
type Type =
  | string
  | { readonly ref: string }
  | { readonly list: Type }
  | { readonly map: Type }
  | { readonly oneOf: readonly Type[] };

/** Attributes of a resource beside its properties. */
const attributes = ["Type", "Properties", "DeletionPolicy", "UpdateReplacePolicy", "DependsOn"];
const policies = ["Delete", "Retain", "Snapshot", "RetainExceptOnCreate"];

interface Template {
  readonly AWSTemplateFormatVersion?: string;
  readonly Description?: string;
  readonly Resources: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly Outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Everything in which a template is not as CloudFormation wants it. */
function faultsOf(template: Template): readonly string[] {
  const faults: string[] = [];
  const names = new Set(Object.keys(template.Resources));
  const known = ["AWSTemplateFormatVersion", "Description", "Resources", "Outputs"];
  faults.push(...Object.keys(template).filter((name) => !known.includes(name)));
  if (template.AWSTemplateFormatVersion !== "2010-09-09") faults.push("format version");
  for (const [name, resource] of Object.entries(template.Resources)) {
    if (!/^[A-Za-z0-9]{1,255}$/.test(name)) faults.push(`name ${name}`);
    faults.push(...Object.keys(resource).filter((one) => !attributes.includes(one)).map((one) => `${name}.${one}`)); // prettier-ignore
    for (const one of ["DeletionPolicy", "UpdateReplacePolicy"]) {
      const value = resource[one];
      if (value !== undefined && !policies.some((one) => one === value))
        faults.push(`${name}.${one}`);
    }
    const type = resources[String(resource["Type"])];
    if (!type) faults.push(`${name} is of the unknown type ${String(resource["Type"])}`);
    else checkObject(resource["Properties"], type.properties, { path: name, types: type.types });
  }
  for (const [name, { Value, ...rest }] of Object.entries(template.Outputs)) {
    if (!/^[A-Za-z0-9]{1,255}$/.test(name)) faults.push(`output ${name}`);
    faults.push(...Object.keys(rest).filter((one) => !["Description", "Export"].includes(one)));
    checkType(Value, "string", { path: `output ${name}`, types: {} });
  }
  return faults;

  interface At {
    readonly path: string;
    readonly types: Readonly<Record<string, Properties>>;
  }
  function checkObject(value: unknown, properties: Properties, at: At): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return void faults.push(`${at.path} is no object`); // prettier-ignore
    const given = value as Readonly<Record<string, unknown>>;
    for (const [name, one] of Object.entries(given)) {
      const property = properties[name];
      if (!property) faults.push(`${at.path}.${name} is not known`);
      else checkType(one, property.type, { ...at, path: `${at.path}.${name}` });
    }
    for (const [name, { required }] of Object.entries(properties)) {
      if (required && !(name in given)) faults.push(`${at.path}.${name} is missing`);
    }
  }
  function checkType(value: unknown, type: Type, at: At): void {
    const fault = () => void faults.push(`${at.path} is no ${JSON.stringify(type)}`);
    if (isIntrinsic(value)) return checkIntrinsic(value, at);
    if (typeof type === "object" && "ref" in type)
      return checkObject(value, at.types[type.ref]!, at);
    if (typeof type === "object" && "oneOf" in type) {
      const before = faults.length;
      const found = type.oneOf.map((one) => {
        checkType(value, one, at);
        return faults.splice(before);
      });
      if (found.every((some) => some.length > 0)) faults.push(...found.flat());
      return;
    }
    if (typeof type === "object" && "list" in type) {
      if (!Array.isArray(value)) return fault();
      return value.forEach((one, index) => checkType(one, type.list, { ...at, path: `${at.path}[${index}]` })); // prettier-ignore
    }
    if (type === "json") return typeof value === "object" ? checkJson(value, at) : fault();
    if (type === "integer" || type === "number")
      return Number.isInteger(value) ? undefined : fault();
    if (type === "string" || type === "boolean") return typeof value === type ? undefined : fault();
    throw new Error(`this test does not know the type ${JSON.stringify(type)} yet`);
  }
  function checkJson(value: unknown, at: At): void {
    if (isIntrinsic(value)) return checkIntrinsic(value, at);
    if (typeof value !== "object" || value === null) return;
    for (const [name, one] of Object.entries(value)) {
      checkJson(one, { ...at, path: `${at.path}.${name}` });
    }
  }
  function isIntrinsic(value: unknown): value is Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null) return false;
    return Object.keys(value).some((name) => name === "Ref" || name.startsWith("Fn::"));
  }
  function checkIntrinsic(value: Readonly<Record<string, unknown>>, { path }: At): void {
    const [name = "", ...more] = Object.keys(value);
    const text = value[name];
    const isKnown = (one: string) => names.has(one.split(".")[0]!) || /^AWS::\w+$/.test(one);
    const parts = name === "Ref" ? [String(text)] : [...String(text).matchAll(/\$\{([^!}]+)\}/g)].map(([, one]) => one!); // prettier-ignore
    const isGood = more.length === 0 && typeof text === "string" && ["Ref", "Fn::Sub"].includes(name) && parts.length > 0 && parts.every(isKnown); // prettier-ignore
    if (!isGood) faults.push(`${path}: ${JSON.stringify(value)}`);
  }
}

const template = () => structuredClone(cloudFormationTemplate()) as unknown as Template;

test("B26: the template has only resources, properties and values that CloudFormation knows", () => {
  expect(faultsOf(template())).toEqual([]);
});

test("the check notices each sort of mistake", () => {
  for (const [fault, from, to] of [
    ["Bucket.Lifecycle is not known", '"LifecycleConfiguration":', '"Lifecycle":'],
    ["Bucket.LifecycleConfiguration.Rules is missing", '"Rules":[{"Id', '"Rule":[{"Id'],
    ["Bucket.LifecycleConfiguration.Rules[0].Status is missing", '"Status":"Enabled",', ""],
    [
      'Bucket.LifecycleConfiguration.Rules[0].ExpirationInDays is no "integer"',
      '"ExpirationInDays":1',
      '"ExpirationInDays":"1"',
    ],
    ["NodePolicy.PolicyDocument is missing", '"PolicyDocument":', '"Document":'],
    [
      'NodePolicy.PolicyDocument.Statement.0.Resource.0: {"Fn::Sub":"${Bukket.Arn}"}',
      '{"Fn::Sub":"${Bucket.Arn}"}',
      '{"Fn::Sub":"${Bukket.Arn}"}',
    ],
    ["Bucket is of the unknown type AWS::S3::Buckets", "AWS::S3::Bucket", "AWS::S3::Buckets"],
    ['output Region: {"Ref":"AWS::Regio n"}', '{"Ref":"AWS::Region"}', '{"Ref":"AWS::Regio n"}'],
  ] as const) {
    // prettier-ignore
    const text = JSON.stringify(template());
    expect(text).toContain(from);
    expect(faultsOf(JSON.parse(text.replace(from, () => to)) as Template)).toContain(fault);
  }
});
