import { Project, SyntaxKind, Node } from 'ts-morph';
const project = new Project({ compilerOptions: {allowImportingTsExtensions:true, noEmit:true, module: 199, moduleResolution: 99, strict: true, target: 9}, skipAddingFilesFromTsConfig: true });
project.addSourceFilesAtPaths(['src/**/*.ts']);
const root = process.cwd() + '/';
for (const f of project.getSourceFiles()) {
  const p = f.getFilePath().replace(root,'');
  for (const fn of [...f.getFunctions(), ...f.getClasses().flatMap(c=>[...c.getMethods(), ...c.getConstructors()])]) {
    const params = fn.getParameters();
    if (params.length===0) continue;
    const nameable: any = fn;
    let refs: Node[];
    try { refs = (Node.isConstructorDeclaration(fn) ? (fn.getParent() as any) : nameable).findReferencesAsNodes(); } catch { continue; }
    const calls: any[] = []; let other = 0;
    for (const r of refs) {
      const par = r.getParent();
      let call: any;
      if (par && (Node.isCallExpression(par)||Node.isNewExpression(par)) && par.getExpression()===r) call = par;
      else if (par && Node.isPropertyAccessExpression(par) && par.getNameNode()===r && par.getParent() && Node.isCallExpression(par.getParent()!) && (par.getParent() as any).getExpression()===par) call = par.getParent();
      if (call) calls.push(call);
      else if (!r.getFirstAncestorByKind(SyntaxKind.ImportDeclaration) && !r.getFirstAncestorByKind(SyntaxKind.ExportDeclaration) && !Node.isTypeReference(par!)) other++;
    }
    if (calls.length===0 || other>0) { if (calls.length===0 && other===0 && Node.isMethodDeclaration(fn)) console.log('METHOD-UNUSED', p+':'+fn.getStartLineNumber(), fn.getName()); continue; }
    if (calls.some(c=>c.getArguments().some((a:any)=>Node.isSpreadElement(a)))) continue;
    params.forEach((q,i)=>{
      const opt = q.isOptional() || q.hasInitializer();
      const given = calls.filter(c=>c.getArguments().length>i);
      const nm = (nameable.getName?.() ?? 'constructor')+'('+q.getName().slice(0,40)+')';
      if (opt && given.length===0) console.log('NEVER-GIVEN', p+':'+fn.getStartLineNumber(), nm, calls.length);
      else if (opt && given.length===calls.length) console.log('ALWAYS-GIVEN', p+':'+fn.getStartLineNumber(), nm, calls.length);
      const texts = new Set(given.map(c=>c.getArguments()[i].getText()));
      if (!opt && texts.size===1 && calls.length>1 && given.length===calls.length) { const t=[...texts][0]; if (/^(['"`\d-]|true|false|undefined|\[\]|\{\})/.test(t)) console.log('SAME-LITERAL', p+':'+fn.getStartLineNumber(), nm, t); }
    });
  }
  for (const m of f.getClasses().flatMap(c=>[...c.getMethods(), ...c.getGetAccessors(), ...c.getProperties()])) {
    const n = m.findReferencesAsNodes().length;
    if (n===0) console.log('MEMBER-UNUSED', p+':'+m.getStartLineNumber(), m.getName());
  }
  for (const it of f.getInterfaces()) for (const m of it.getProperties()) {
    const refs = m.findReferencesAsNodes();
    const reads = refs.filter(r=>{ const par=r.getParent()!; return !(Node.isPropertyAssignment(par) && par.getNameNode()===r) && !Node.isShorthandPropertyAssignment(par) && !Node.isPropertySignature(par) });
    if (reads.length===0) console.log('FIELD-NEVER-READ', p+':'+m.getStartLineNumber(), it.getName()+'.'+m.getName(), refs.length);
  }
}
