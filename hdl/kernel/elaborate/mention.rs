//! Which signals a stretch of code would read, if it ran: for loops without a single pass.

use rust_hdl_core::ast::{
    VerilogBlock, VerilogBlockOrConditional as Otherwise, VerilogConditional, VerilogExpression as Ast,
    VerilogStatement as Statement,
};

/// Calls `read` with the name of every signal that the block's expressions read.
pub(super) fn block(block: &VerilogBlock, read: &mut dyn FnMut(&str)) {
    for statement in block {
        match statement {
            Statement::Assignment(_, value) => expression(value, read),
            Statement::SliceAssignment { offset, replacement, .. } => {
                expression(offset, read);
                expression(replacement, read);
            }
            Statement::If(c) => conditional(c, read),
            Statement::Match(m) => {
                expression(&m.test, read);
                m.cases.iter().for_each(|case| self::block(&case.block, read));
            }
            Statement::Loop(l) => self::block(&l.block, read),
            Statement::Macro(inner) => self::block(inner, read),
            Statement::Comment(_) | Statement::Link(_) => {}
        }
    }
}

fn conditional(c: &VerilogConditional, read: &mut dyn FnMut(&str)) {
    expression(&c.test, read);
    block(&c.then, read);
    match &c.otherwise {
        Otherwise::Block(inner) => block(inner, read),
        Otherwise::Conditional(statement) => {
            if let Statement::If(inner) = &**statement {
                conditional(inner, read);
            }
        }
        Otherwise::None => {}
    }
}

fn expression(ast: &Ast, read: &mut dyn FnMut(&str)) {
    match ast {
        Ast::Signal(name) => read(name),
        Ast::Literal(_) => {}
        Ast::Paren(a) | Ast::Cast(a, _) | Ast::Unsigned(a) | Ast::Signed(a) | Ast::Unary(_, a) => expression(a, read),
        Ast::Binary(a, _, b) | Ast::Index(a, b) | Ast::Slice(a, _, b) => {
            expression(a, read);
            expression(b, read);
        }
        Ast::IndexReplace(a, b, c) => [a, b, c].into_iter().for_each(|e| expression(e, read)),
    }
}
